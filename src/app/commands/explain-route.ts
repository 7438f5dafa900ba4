import type { Mapping } from '#catalogue';
import type { HealthReport, MappingHealth, Standing } from '#routing';
import { formatUsd, systemClock } from '#base';
import { extendCatalogue, resolveModel } from '#catalogue';
import { DEFAULT_CREDENTIAL } from '#providers';
import { HealthBook, orderCredentials, rankRoute, toHealthName } from '#routing';
import { readReports } from '../lifecycle/shared-health.ts';
import type { Stores } from '../lifecycle/stores.ts';
import { getBaseCatalogue } from '../settings/base-catalogue.ts';
import { summarizeProviders } from '../settings/explain-settings.ts';
import { loadSettings } from '../settings/load-settings.ts';
import type { Settings, SettingsOrigin } from '../settings/settings.ts';

/** What running gateways reported longer ago says nothing about now. */
const MOST_AGE_SECONDS = 600;

/** A provider's offer of a model, and whether it is called. */
export interface RouteCandidate {
  provider: string;
  model: string;
  /** The name of the credential and its share of the requests, where the provider has several. */
  credential: string | null;
  weight: number | null;
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
  const reports = await readLatest(database);
  const reasonOf = (mapping: Mapping): string | null => {
    if (!callable.has(mapping.providerId)) {
      const variable = catalogue.providers.get(mapping.providerId)?.env[0];
      return variable === undefined ? 'no credential' : `no ${variable}`;
    }
    return mapping.price === undefined && !settings.allowUnpriced ? 'no price' : null;
  };
  const healths = new ReportedHealths(reports);
  const called = found.mappings.filter((mapping) => reasonOf(mapping) === null);
  const waysOf = (mapping: Mapping): Way[] =>
    listWays(settings, mapping, ({ account }) => healths.standingOf(mapping, account));
  const route = rankRoute(called, {
    healthOf: (mapping) => healths.of(mapping, waysOf(mapping)[0]?.account),
    nowMs: healths.nowMs,
    format: 'chat',
    strategy: settings.routing.isAdaptive ? settings.routing.strategy : 'price',
  });
  const others = found.mappings.filter((mapping) => reasonOf(mapping) !== null);
  const candidates = [...route, ...others].flatMap((mapping) =>
    waysOf(mapping).map(({ account, credential, weight }): RouteCandidate => ({
      ...describe(mapping, reports.get(toHealthName(mapping, account))),
      credential,
      weight,
      health: reports.has(toHealthName(mapping, account)) ? healths.standingOf(mapping, account) : 'unknown',
      reason: reasonOf(mapping),
    })),
  );
  return { model: found.model.id, candidates };
}

/** The latest report of each mapping and credential by any gateway. */
async function readLatest(database: Stores['database']): Promise<ReadonlyMap<string, HealthReport>> {
  const reports = new Map<string, HealthReport>();
  for (const { mapping, report, ageMs } of await readReports(database, '', MOST_AGE_SECONDS)) {
    const pausedMs = Math.max(0, report.pausedMs - ageMs);
    if (!reports.has(mapping)) reports.set(mapping, { ...report, pausedMs });
  }
  return reports;
}

/** A credential to call a provider with. */
interface Way {
  account: string | undefined;
  credential: string | null;
  weight: number | null;
}

/** The credentials of a mapping's provider, those in good health first. */
function listWays(
  { credentialPools }: Settings,
  { providerId }: Mapping,
  standingOf: (way: Way) => Standing,
): Way[] {
  const pool = credentialPools.get(providerId);
  if (!pool) return [{ account: undefined, credential: null, weight: null }];
  const ways = pool.map(({ name, weight }) => {
    const account = name === DEFAULT_CREDENTIAL ? undefined : name;
    return { name, weight, way: { account, credential: name, weight } };
  });
  const ordered = orderCredentials(ways, { seed: '', standingOf: (one) => standingOf(one.way) });
  return ordered.map(({ way }) => way);
}

/** Healths as the running gateways reported them. */
class ReportedHealths {
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

function describe(
  { providerId, externalId, price }: Mapping,
  report: HealthReport | undefined,
): Omit<RouteCandidate, 'health' | 'reason' | 'credential' | 'weight'> {
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
