import type { Mapping } from '#catalogue';
import type { HealthReport, HealthState, MappingHealth } from '#routing';
import { systemClock } from '#base';
import { HealthRegistry } from '#routing';
import { readReports } from '../lifecycle/shared-health.ts';
import type { Stores } from '../lifecycle/stores/stores.ts';

/** Older reports of running gateways are ignored. */
const MOST_AGE_SECONDS = 600;

/** The latest report of each mapping and credential by any gateway. */
export async function readLatest(database: Stores['database']): Promise<ReadonlyMap<string, HealthReport>> {
  const reports = new Map<string, HealthReport>();
  for (const { mapping, report, ageMs } of await readReports(database, '', MOST_AGE_SECONDS)) {
    const pausedMs = Math.max(0, report.pausedMs - ageMs);
    if (!reports.has(mapping)) reports.set(mapping, { ...report, pausedMs });
  }
  return reports;
}

/** Healths as the running gateways reported them. */
export class ReportedHealths {
  readonly nowMs = systemClock.monotonicMs();
  readonly #registry = new HealthRegistry();

  constructor(reports: ReadonlyMap<string, HealthReport>) {
    for (const [mapping, report] of reports) this.#registry.named(mapping).restore(report, this.nowMs);
  }

  of(mapping: Mapping, account: string | undefined): MappingHealth {
    return this.#registry.of(mapping, account);
  }

  isHealthy(name: string): boolean {
    return this.#registry.named(name).stateAt(this.nowMs) === 'healthy';
  }

  stateOf(mapping: Mapping, account: string | undefined): HealthState {
    return this.of(mapping, account).stateAt(this.nowMs);
  }
}
