import type { Mapping } from '#catalogue';
import type { HealthReport, MappingHealth, Standing } from '#routing';
import { systemClock } from '#base';
import { HealthBook } from '#routing';
import { readReports } from '../lifecycle/shared-health.ts';
import type { Stores } from '../lifecycle/stores.ts';

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
  readonly #book = new HealthBook();

  constructor(reports: ReadonlyMap<string, HealthReport>) {
    for (const [mapping, report] of reports) this.#book.named(mapping).restore(report, this.nowMs);
  }

  of(mapping: Mapping, account: string | undefined): MappingHealth {
    return this.#book.of(mapping, account);
  }

  standingOf(mapping: Mapping, account: string | undefined): Standing {
    return this.of(mapping, account).standingAt(this.nowMs);
  }
}
