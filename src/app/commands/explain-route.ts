import type { RequestBinding } from '#accounts';
import type { Catalogue, Mapping } from '#catalogue';
import type { Preferences } from '#pipeline';
import type {
  FirstReason,
  HealthReport,
  HealthState,
  RankedMapping,
  RoutePlan,
  Session,
  Strategy,
} from '#routing';
import {
  type ExplainedExperiment,
  describeExperiment,
  findExperiment,
  findHome,
  findRuleRefusal,
  findVariant,
} from './explain-caller.ts';
import type { RequestedRoute } from './requested-route.ts';
import { formatUsd } from '#base';
import { findStrategy, toPreferences, withStrategy } from '#pipeline';
import { findCached, isHome, planRoute, toHealthName } from '#routing';
import { findOffered, findOffers } from './find-offers.ts';
import { type CredentialChoice, listCredentials } from './explain-credentials.ts';
import { ReportedHealths, readLatest } from './reported-healths.ts';
import type { Stores } from '../lifecycle/stores/stores.ts';
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
  health: HealthState | 'unknown';
  /** Share of failures among the last calls, from 0 to 1. */
  failed_share: number | null;
  paused_seconds: number | null;
  first_event_ms: number | null;
  tokens_per_second: number | null;
  /** The value that the strategy compares, the least first, in the unit of `measure`; null where it is not called. */
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

/** The question to explain. */
export interface RouteQuestion {
  model: string;
  /** The request; absent for one that asks for nothing. */
  asked?: RequestedRoute;
  /** The key or project whose request it is. */
  binding?: RequestBinding;
  /** The session of the key that it belongs to. */
  sessionId?: string;
}

/** The providers of a model in the order in which a request with the gateway's own keys tries them. */
export async function explainRoute(
  { database }: Pick<Stores, 'database'>,
  origin: SettingsOrigin,
  question: RouteQuestion,
): Promise<RouteExplanation> {
  const { model: name, binding, sessionId } = question;
  const facts = await readFacts(database, origin);
  const { settings, catalogue } = facts;
  const preferences = findPreferences(catalogue, question);
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

function findPreferences(
  catalogue: Catalogue,
  { model, asked, binding }: RouteQuestion,
): Preferences | undefined {
  const preferences = asked?.preferences ?? (binding?.routing && toPreferences(binding.routing));
  const strategy = findStrategy({ catalogue }, model, Date.now());
  return strategy ? withStrategy(preferences, strategy) : preferences;
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
  const credentialsOf = (mapping: Mapping): CredentialChoice[] =>
    listCredentials(settings, mapping, {
      stateOf: ({ account }) => healths.stateOf(mapping, account),
      home: session && isHome(session, mapping) ? session.home : undefined,
    });
  const accountOf = (mapping: Mapping): string | undefined => credentialsOf(mapping)[0]?.account;
  const plan = planRoute(called, {
    healthOf: (mapping) => healths.of(mapping, accountOf(mapping)),
    nowMs: healths.nowMs,
    format: asked?.format ?? 'chat',
    rules: settings.routing,
    preferences,
    session: findCached(session, called, accountOf),
    trial,
  });
  const { order, measure, reason } = plan;
  const others = mappings.filter((mapping) => !order.includes(mapping));
  const candidates = [...order, ...others].flatMap((mapping) =>
    credentialsOf(mapping).map(({ account, credential, weight }): RouteCandidate => ({
      ...describe(mapping, reports.get(toHealthName(mapping, account))),
      credential,
      weight,
      health: reports.has(toHealthName(mapping, account)) ? healths.stateOf(mapping, account) : 'unknown',
      score: order.includes(mapping) ? scoreOf(mapping, plan) : null,
      reason: order.includes(mapping) ? null : (reasonOf(mapping) ?? 'the request allows no other'),
    })),
  );
  return {
    strategy: measure,
    measure: session ? 'USD for the next request of the session' : MEASURES[measure],
    first: reason ?? null,
    candidates,
  };
}

/** The value that a mapping is compared by, if it is called. */
function scoreOf(mapping: Mapping, { ranked, measure }: RoutePlan): number | null {
  const one = ranked.find((each) => each.mapping === mapping);
  return one ? toScore(one, measure) : null;
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
  const settings = await loadSettings(origin, 'show');
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

function toScore({ price, score }: RankedMapping, measure: RoutePlan['measure']): number {
  if (measure === 'weights') return 0 - score;
  const isByPrice = measure === 'balanced' || measure === 'price';
  return isByPrice ? Number(formatUsd(price * 1_000_000n)) : score;
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
