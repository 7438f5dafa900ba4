import type { RequestBinding } from '#accounts';
import type { Catalogue, Mapping } from '#catalogue';
import type { Preferences } from '#pipeline';
import type {
  FirstReason,
  HealthReport,
  ProviderWeights,
  Ranked,
  Session,
  Standing,
  Strategy,
} from '#routing';
import {
  type ExplainedExperiment,
  describeExperiment,
  findExperiment,
  findHome,
  findRuleRefusal,
  findVariant,
  toStanding,
} from './explain-caller.ts';
import type { AskedRoute } from './asked-route.ts';
import { formatUsd } from '#base';
import { arrange, explainFirst, isHome, rankMappings, toHealthName } from '#routing';
import { findOffered, findOffers } from './find-offers.ts';
import { type Way, findCached, listWays } from './explain-ways.ts';
import { findWeights, orderByWeight, weightOf } from './explain-weights.ts';
import { ReportedHealths, readLatest } from './reported-healths.ts';
import type { Stores } from '../lifecycle/stores.ts';
import { readEffectiveCatalogue } from '../feed/effective-catalogue.ts';
import { summarizeProviders } from '../settings/explain-settings.ts';
import { loadSettings } from '../settings/load-settings.ts';
import type { Settings, SettingsOrigin } from '../settings/settings.ts';

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
  strategy: Strategy | 'weights';
  /** What `score` is. */
  measure: string;
  /** Why the first comes first, as in rows of the log; null if there is none. */
  first: FirstReason | null;
  /** The experiment that requests for the model take part in; null if there is none. */
  experiment: ExplainedExperiment | null;
  /** In the order in which they are tried; those that are not called last. */
  candidates: RouteCandidate[];
}

/** What is to be explained. */
export interface RouteQuestion {
  model: string;
  /** The request; absent for one that asks for nothing. */
  asked?: AskedRoute;
  /** The key or project whose request it is. */
  binding?: RequestBinding;
  /** The session of the key that it belongs to. */
  sessionId?: string;
}

/** The providers of a model in the order in which a request with the gateway's own keys tries them, or similar names. */
export async function explainRoute(
  { database }: Pick<Stores, 'database'>,
  origin: SettingsOrigin,
  question: RouteQuestion,
): Promise<RouteExplanation | { name: string; closest: readonly string[] }> {
  const { model: name, asked, binding, sessionId } = question;
  const facts = await readFacts(database, origin);
  const { settings, catalogue } = facts;
  const preferences = asked?.preferences ?? toStanding(binding);
  const experiment = findExperiment(settings.routing.experiments ?? [], catalogue, {
    name,
    binding,
    preferences,
  });
  const variant = findVariant(experiment, binding);
  const found = findOffers(catalogue, {
    asked: [name, ...(preferences?.models.map((one) => one.name) ?? [])],
    others: [...(variant ? [variant.to] : []), ...(preferences?.fallbackModels ?? [])],
  });
  if ('closest' in found) return found;
  const { keyId } = binding ?? {};
  const session =
    keyId === undefined || sessionId === undefined
      ? undefined
      : await findHome(database, { keyId, sessionId, modelId: found.model.id });
  const trial = variant && new Set(findOffered(catalogue, variant.to));
  const explained = explainOffers(facts, found.mappings, { ...question, preferences, session, trial });
  return {
    model: found.model.id,
    experiment: experiment ? describeExperiment(experiment, binding) : null,
    ...explained,
  };
}

interface Explained extends RouteQuestion {
  preferences: Preferences | undefined;
  session: Session | undefined;
  /** The offers of its variant of an experiment. */
  trial: ReadonlySet<Mapping> | undefined;
}

function explainOffers(
  facts: RouteFacts,
  mappings: readonly Mapping[],
  { asked, binding, preferences, session, trial }: Explained,
): Omit<RouteExplanation, 'model' | 'experiment'> {
  const { settings, reports, catalogue } = facts;
  const reasonOf = (mapping: Mapping): string | null =>
    findObstacle(facts, mapping) ??
    asked?.refuse(mapping, catalogue) ??
    findRuleRefusal(binding ?? {}, mapping, catalogue);
  const healths = new ReportedHealths(reports);
  const called = mappings.filter((mapping) => reasonOf(mapping) === null);
  const waysOf = (mapping: Mapping): Way[] =>
    listWays(settings, mapping, {
      standingOf: ({ account }) => healths.standingOf(mapping, account),
      home: session && isHome(session, mapping) ? session.home : undefined,
    });
  const strategy = preferences?.sort ?? (settings.routing.isAdaptive ? settings.routing.strategy : 'price');
  const weights = findWeights(settings, preferences, mappings[0]);
  const measured = rankMappings(called, {
    healthOf: (mapping) => healths.of(mapping, waysOf(mapping)[0]?.account),
    nowMs: healths.nowMs,
    format: asked?.format ?? 'chat',
    strategy,
    session: findCached(session, called, waysOf),
  });
  const ranked = weights ? orderByWeight(measured, weights) : measured;
  const arranged = arrangeAsked(ranked, called, preferences);
  const route = trial ? [...new Set([...arranged.filter((one) => trial.has(one)), ...arranged])] : arranged;
  const others = mappings.filter((mapping) => !route.includes(mapping));
  const measure = weights ? 'weights' : strategy;
  const candidates = [...route, ...others].flatMap((mapping) =>
    waysOf(mapping).map(({ account, credential, weight }): RouteCandidate => ({
      ...describe(mapping, reports.get(toHealthName(mapping, account))),
      credential,
      weight,
      health: reports.has(toHealthName(mapping, account)) ? healths.standingOf(mapping, account) : 'unknown',
      score: route.includes(mapping) ? scoreOf(mapping, ranked, { strategy, weights }) : null,
      reason: route.includes(mapping) ? null : (reasonOf(mapping) ?? 'the request allows no other'),
    })),
  );
  const [first] = route;
  return {
    strategy: measure,
    measure: session ? 'USD for the next request of the session' : MEASURES[measure],
    first: first ? explainAsked(ranked, first, { measure, preferences, trial }) : null,
    candidates,
  };
}

interface Compared {
  strategy: Strategy;
  weights: ProviderWeights | undefined;
}

/** What is compared of a mapping that is called. */
function scoreOf(
  mapping: Mapping,
  ranked: readonly Ranked[],
  { strategy, weights }: Compared,
): number | null {
  if (weights) return weightOf(weights, mapping);
  const one = ranked.find((each) => each.mapping === mapping);
  return one ? toScore(one, strategy) : null;
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
    catalogue: await readEffectiveCatalogue(settings, database),
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

const MEASURES: Record<Strategy | 'weights', string> = {
  weights: 'weight',
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

function arrangeAsked(
  ranked: readonly Ranked[],
  called: readonly Mapping[],
  preferences: Preferences | undefined,
): readonly Mapping[] {
  const order = ranked.map(({ mapping }) => mapping);
  return preferences ? arrange(order, called, preferences) : order;
}

interface Reasons {
  measure: Strategy | 'weights';
  preferences: Preferences | undefined;
  trial: ReadonlySet<Mapping> | undefined;
}

function explainAsked(
  ranked: readonly Ranked[],
  first: Mapping,
  { measure, preferences, trial }: Reasons,
): FirstReason {
  if (trial?.has(first)) return 'experiment';
  const isNamed = preferences?.order.includes(first.providerId.toLowerCase());
  return isNamed ? 'order' : explainFirst(ranked, first, measure);
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
