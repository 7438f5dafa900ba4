import type { Catalogue, Mapping, Model } from '#catalogue';
import type { FirstReason, HealthReport, MappingHealth, Ranked, Standing, Strategy } from '#routing';
import type { AskedRoute } from './asked-route.ts';
import { formatUsd, systemClock } from '#base';
import { DEFAULT_CREDENTIAL, extendCatalogue, resolveModel } from '#catalogue';
import { HealthBook, arrange, explainFirst, orderCredentials, rankMappings, toHealthName } from '#routing';
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
  /** What the strategy compares, the least first, in the unit of `measure`; null where it is not called. */
  score: number | null;
  /** Why it is not called; null if it is. */
  reason: string | null;
}

export interface RouteExplanation {
  model: string;
  strategy: Strategy;
  /** What `score` is. */
  measure: string;
  /** Why the first comes first, as in rows of the log; null if there is none. */
  first: FirstReason | null;
  /** In the order in which they are tried; those that are not called last. */
  candidates: RouteCandidate[];
}

/** What is to be explained. */
export interface RouteQuestion {
  model: string;
  /** The request; absent for one that asks for nothing. */
  asked?: AskedRoute;
}

/** The providers of a model in the order in which a request with the gateway's own keys tries them, or similar names. */
export async function explainRoute(
  { database }: Pick<Stores, 'database'>,
  origin: SettingsOrigin,
  { model: name, asked }: RouteQuestion,
): Promise<RouteExplanation | { name: string; closest: readonly string[] }> {
  const facts = await readFacts(database, origin);
  const { settings, reports } = facts;
  const names = [name, ...(asked?.preferences?.models.map((one) => one.name) ?? [])];
  const found = findOffers(facts.catalogue, names);
  if ('closest' in found) return found;
  const reasonOf = (mapping: Mapping): string | null =>
    findObstacle(facts, mapping) ?? asked?.refuse(mapping, facts.catalogue) ?? null;
  const healths = new ReportedHealths(reports);
  const called = found.mappings.filter((mapping) => reasonOf(mapping) === null);
  const waysOf = (mapping: Mapping): Way[] =>
    listWays(settings, mapping, ({ account }) => healths.standingOf(mapping, account));
  const strategy =
    asked?.preferences?.sort ?? (settings.routing.isAdaptive ? settings.routing.strategy : 'price');
  const ranked = rankMappings(called, {
    healthOf: (mapping) => healths.of(mapping, waysOf(mapping)[0]?.account),
    nowMs: healths.nowMs,
    format: asked?.format ?? 'chat',
    strategy,
  });
  const route = arrangeAsked(ranked, called, asked);
  const [first] = route;
  const others = found.mappings.filter((mapping) => !route.includes(mapping));
  const scoreOf = (mapping: Mapping): number | null => {
    const one = route.includes(mapping) && ranked.find((each) => each.mapping === mapping);
    return one ? toScore(one, strategy) : null;
  };
  const candidates = [...route, ...others].flatMap((mapping) =>
    waysOf(mapping).map(({ account, credential, weight }): RouteCandidate => ({
      ...describe(mapping, reports.get(toHealthName(mapping, account))),
      credential,
      weight,
      health: reports.has(toHealthName(mapping, account)) ? healths.standingOf(mapping, account) : 'unknown',
      score: scoreOf(mapping),
      reason: route.includes(mapping) ? null : (reasonOf(mapping) ?? 'the request allows no other'),
    })),
  );
  return {
    model: found.model.id,
    strategy,
    measure: MEASURES[strategy],
    first: first ? explainAsked(ranked, first, { strategy, asked }) : null,
    candidates,
  };
}

/** What routes are explained from: the configuration, and what the running gateways reported. */
interface RouteFacts {
  settings: Settings;
  catalogue: Catalogue;
  /** Ids of providers with a credential. */
  callable: ReadonlySet<string>;
  reports: ReadonlyMap<string, HealthReport>;
}

async function readFacts(database: Stores['database'], origin: SettingsOrigin): Promise<RouteFacts> {
  const settings = await loadSettings(origin);
  const providers = await summarizeProviders(settings);
  return {
    settings,
    catalogue: extendCatalogue(await getBaseCatalogue(), settings.providers),
    callable: new Set(providers.filter(({ live }) => live).map(({ id }) => id)),
    reports: await readLatest(database),
  };
}

/** Why no request can be sent to a mapping. */
function findObstacle({ settings, catalogue, callable }: RouteFacts, mapping: Mapping): string | undefined {
  if (!callable.has(mapping.providerId)) {
    const variable = catalogue.providers.get(mapping.providerId)?.env[0];
    return variable === undefined ? 'no credential' : `no ${variable}`;
  }
  return mapping.price === undefined && !settings.allowUnpriced ? 'no price' : undefined;
}

const MEASURES: Record<Strategy, string> = {
  balanced: 'USD per million tokens, 3 × input + output',
  price: 'USD per million tokens, 3 × input + output',
  latency: 'ms to the first event',
  throughput: 'ms per token',
  uptime: '% of the last calls that failed',
};

function toScore({ price, badness }: Ranked, strategy: Strategy): number {
  const isByPrice = strategy === 'balanced' || strategy === 'price';
  return isByPrice ? Number(formatUsd(price * 1_000_000n)) : badness;
}

/** The offers of the first name, then those of the others. */
function findOffers(
  catalogue: Catalogue,
  names: readonly string[],
): { model: Model; mappings: readonly Mapping[] } | { name: string; closest: readonly string[] } {
  const mappings: Mapping[] = [];
  let model: Model | undefined;
  for (const name of names) {
    const found = resolveModel(catalogue, name, Date.now());
    if (found.kind !== 'found') return { name, closest: found.kind === 'unknown' ? found.closest : [] };
    model ??= found.model;
    mappings.push(...found.mappings);
  }
  if (!model) throw new Error('a route is of at least one model');
  return { model, mappings: [...new Set(mappings)] };
}

function arrangeAsked(
  ranked: readonly Ranked[],
  called: readonly Mapping[],
  asked: AskedRoute | undefined,
): readonly Mapping[] {
  const order = ranked.map(({ mapping }) => mapping);
  return asked?.preferences ? arrange(order, called, asked.preferences) : order;
}

function explainAsked(
  ranked: readonly Ranked[],
  first: Mapping,
  { strategy, asked }: { strategy: Strategy; asked: AskedRoute | undefined },
): FirstReason {
  const isNamed = asked?.preferences?.order.includes(first.providerId.toLowerCase());
  return isNamed ? 'order' : explainFirst(ranked, first, strategy);
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
): Omit<RouteCandidate, 'health' | 'score' | 'reason' | 'credential' | 'weight'> {
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
