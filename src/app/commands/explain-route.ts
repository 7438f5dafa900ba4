import type { Mapping } from '#catalogue';
import type { HealthReport, Standing } from '#routing';
import { formatUsd, systemClock } from '#base';
import { extendCatalogue, resolveModel } from '#catalogue';
import { HealthBook, rankRoute, toHealthName } from '#routing';
import { readReports } from '../lifecycle/shared-health.ts';
import type { Stores } from '../lifecycle/stores.ts';
import { getBaseCatalogue } from '../settings/base-catalogue.ts';
import { summarizeProviders } from '../settings/explain-settings.ts';
import { loadSettings } from '../settings/load-settings.ts';
import type { SettingsOrigin } from '../settings/settings.ts';

/** What running gateways reported longer ago says nothing about now. */
const MOST_AGE_SECONDS = 600;

/** A provider's offer of a model, and whether it is called. */
export interface RouteCandidate {
  provider: string;
  model: string;
  /** USD per million tokens; null without a price. */
  input: string | null;
  output: string | null;
  /** As `docs/routing.md` has it; `unknown` if no running gateway has called it lately. */
  health: Standing | 'unknown';
  /** Share of failures among the last calls, from 0 to 1. */
  failed_share: number | null;
  paused_seconds: number | null;
  first_event_ms: number | null;
  tokens_per_second: number | null;
  /** Why it is not called; null if it is. */
  reason: string | null;
}

export interface RouteExplanation {
  model: string;
  /** In the order in which they are tried; those that are not called last. */
  candidates: RouteCandidate[];
}

/** The providers of a model in the order in which a request with the gateway's own keys tries them, or similar names. */
export async function explainRoute(
  { database }: Pick<Stores, 'database'>,
  origin: SettingsOrigin,
  name: string,
): Promise<RouteExplanation | { closest: readonly string[] }> {
  const settings = await loadSettings(origin);
  const catalogue = extendCatalogue(await getBaseCatalogue(), settings.providers);
  const found = resolveModel(catalogue, name, Date.now());
  if (found.kind !== 'found') return { closest: found.kind === 'unknown' ? found.closest : [] };
  const callable = new Set(
    (await summarizeProviders(settings)).filter((provider) => provider.live).map(({ id }) => id),
  );
  const reports = new Map<string, HealthReport>();
  for (const { mapping, report, ageMs } of await readReports(database, '', MOST_AGE_SECONDS)) {
    const pausedMs = Math.max(0, report.pausedMs - ageMs);
    if (!reports.has(mapping)) reports.set(mapping, { ...report, pausedMs });
  }
  const reasonOf = (mapping: Mapping): string | null => {
    if (!callable.has(mapping.providerId)) {
      const variable = catalogue.providers.get(mapping.providerId)?.env[0];
      return variable === undefined ? 'no credential' : `no ${variable}`;
    }
    return mapping.price === undefined && !settings.allowUnpriced ? 'no price' : null;
  };
  const { mappings } = found;
  const book = restore(reports);
  const nowMs = systemClock.monotonicMs();
  const called = mappings.filter((mapping) => reasonOf(mapping) === null);
  const route = rankRoute(called, {
    healthOf: (mapping) => book.of(mapping),
    nowMs,
    format: 'chat',
    strategy: settings.routing.isAdaptive ? settings.routing.strategy : 'price',
  });
  const others = mappings.filter((mapping) => reasonOf(mapping) !== null);
  return {
    model: found.model.id,
    candidates: [...route, ...others].map((mapping) => ({
      ...describe(mapping, reports.get(toHealthName(mapping))),
      health: reports.has(toHealthName(mapping)) ? book.of(mapping).standingAt(nowMs) : 'unknown',
      reason: reasonOf(mapping),
    })),
  };
}

function restore(reports: ReadonlyMap<string, HealthReport>): HealthBook {
  const book = new HealthBook();
  const nowMs = systemClock.monotonicMs();
  for (const [mapping, report] of reports) book.named(mapping).restore(report, nowMs);
  return book;
}

function describe(
  { providerId, externalId, price }: Mapping,
  report: HealthReport | undefined,
): Omit<RouteCandidate, 'health' | 'reason'> {
  const { failedShare, pausedMs = 0, firstEventMs, msPerToken } = report ?? {};
  return {
    provider: providerId,
    model: externalId,
    input: price ? formatUsd(price.parts.inputUncached * 1_000_000n) : null,
    output: price ? formatUsd(price.parts.outputText * 1_000_000n) : null,
    failed_share: failedShare === undefined ? null : Math.round(failedShare * 100) / 100,
    paused_seconds: pausedMs > 0 ? Math.ceil(pausedMs / 1_000) : null,
    first_event_ms: firstEventMs === undefined ? null : Math.round(firstEventMs),
    tokens_per_second: msPerToken === undefined ? null : Math.round(1_000 / msPerToken),
  };
}
