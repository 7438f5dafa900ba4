import type { ClientFormatId } from '#canonical';
import type { Mapping } from '#catalogue';
import type { ProviderWeights, Strategy } from './arrange.ts';
import { draw } from './order-credentials.ts';
import { type FirstReason, REASON_OF_STRATEGY } from './reason.ts';
import { type Session, estimateCost, isHome } from './session.ts';
import type { HealthState, MappingHealth } from './mapping-health.ts';

/** Inputs of a ranking besides the mappings. */
export interface RouteFacts {
  healthOf(mapping: Mapping): MappingHealth;
  /** Monotonic milliseconds. */
  nowMs: number;
  /** The caller's format: the same format upstream loses nothing, so it wins at an equal price. */
  format: ClientFormatId;
  strategy: Strategy;
  /** Replace the strategy where there are some. */
  shares?: Shares | undefined;
  /** A session whose prompt is cached at a mapping. Mappings are ranked by the cost of its next request. */
  session?: Session | undefined;
}

/** How often each provider comes first. */
interface Shares {
  weights: ProviderWeights;
  /**
   * Requests with the same seed draw the same, so that a conversation stays where its prompts are cached. Without one the
   * largest weight comes first.
   */
  seed: string | undefined;
}

/** A mapping with the values that it is ranked by. */
export interface RankedMapping {
  mapping: Mapping;
  state: HealthState;
  rank: number;
  /** Share of failures in tenths. */
  failures: number;
  price: bigint;
  /** Whether it has the session's prompt in its cache. */
  isHome: boolean;
  /**
   * Milliseconds to the first event or per token, the share of failures, or a random draw, as the strategy compares; 0
   * for other strategies.
   */
  score: number;
}

const RANKS: Record<HealthState, number> = { due: 0, healthy: 0, poor: 1, closed: 3 };
/** After mappings that may fail, before those that may not be called. */
const LAST_RESORT_RANK = 2;

/**
 * Orders mappings for a request: those in good health first, then not deprecated, then the cheapest, then the one with
 * the session's cache, then those in the caller's format. Ties keep the catalogue's order. A mapping whose pause is over
 * is tried by one request.
 */
export function rankMappings(mappings: readonly Mapping[], facts: RouteFacts): RankedMapping[] {
  if (mappings.length > 1 && facts.strategy !== 'price') slowDown(mappings, facts);
  const ranked = mappings.map((mapping) => toRanked(mapping, facts));
  return ranked.length < 2 ? ranked : ranked.sort((a, b) => compare(a, b, facts));
}

/** Why a mapping comes first of those of its model. */
export function explainFirst(
  ranked: readonly RankedMapping[],
  first: Mapping,
  strategy: Strategy | 'weights',
): FirstReason {
  const rivals = ranked.filter(({ mapping }) => mapping.modelId === first.modelId);
  const chosen = rivals.find(({ mapping }) => mapping === first);
  if (!chosen || rivals.length === 1) return 'only';
  if (chosen.state === 'due') return 'probe';
  if (chosen.isHome && strategy !== 'weights') return 'sticky';
  const isHeldBack = (other: RankedMapping): boolean =>
    compareHealth(chosen, other) < 0 && compareOffers(other, chosen) < 0;
  return rivals.some(isHeldBack) ? 'health' : REASON_OF_STRATEGY[strategy];
}

/** Pauses healthy mappings that are much slower than another healthy one of the same model. */
function slowDown(mappings: readonly Mapping[], facts: RouteFacts): void {
  const models = new Set(mappings.map(({ modelId }) => modelId));
  for (const model of models)
    slowDownAmong(models.size === 1 ? mappings : mappings.filter(({ modelId }) => modelId === model), facts);
}

function slowDownAmong(mappings: readonly Mapping[], { healthOf, nowMs }: RouteFacts): void {
  const healths = mappings.map(healthOf).filter((health) => health.stateAt(nowMs) === 'healthy');
  if (healths.length < 2) return;
  for (const health of healths)
    if (healths.some((other) => health.isSlowerThan(other))) health.slowDown(nowMs);
}

/** Providers without a weight come after the others. */
function drawShare({ providerId }: Mapping, { weights, seed }: Shares): number {
  const name = providerId.toLowerCase();
  const weight = (Object.hasOwn(weights, name) && weights[name]) || 0;
  return seed === undefined ? -weight : draw(seed, { name, weight });
}

/** A mapping without measurements comes first: one request provides them. */
function judge(
  { firstEvent, perToken, failedShare }: MappingHealth,
  state: HealthState,
  strategy: Strategy,
): number {
  if (strategy === 'uptime') return state === 'due' ? 0 : Math.round(failedShare * 100);
  if (strategy === 'latency') return firstEvent.mean;
  return strategy === 'throughput' ? perToken.mean : 0;
}

function toRanked(
  mapping: Mapping,
  { healthOf, nowMs, strategy, session, shares }: RouteFacts,
): RankedMapping {
  const health = healthOf(mapping);
  health.see(nowMs);
  const state = health.stateAt(nowMs);
  const isLastResort = state === 'due' && health.isLastResortAt(nowMs);
  const rank = isLastResort ? LAST_RESORT_RANK : RANKS[state];
  const failures = rank === 0 ? 0 : Math.round(health.failedShare * 10);
  const score = shares ? drawShare(mapping, shares) : judge(health, state, strategy);
  const price = session ? estimateCost(session, mapping) : weigh(mapping);
  return {
    mapping,
    state,
    rank,
    failures,
    price,
    score,
    isHome: session !== undefined && isHome(session, mapping),
  };
}

function compare(a: RankedMapping, b: RankedMapping, { format }: RouteFacts): number {
  return (
    compareHealth(a, b) ||
    compareOffers(a, b) ||
    Number(b.isHome) - Number(a.isHome) ||
    Number(b.mapping.format === format) - Number(a.mapping.format === format)
  );
}

function compareHealth(a: RankedMapping, b: RankedMapping): number {
  return a.rank - b.rank || a.failures - b.failures;
}

function compareOffers(a: RankedMapping, b: RankedMapping): number {
  return (
    compareNumbers(a.score, b.score) ||
    Number(isDeprecated(a.mapping)) - Number(isDeprecated(b.mapping)) ||
    Number(a.price - b.price)
  );
}

/** Two that are both infinite are equal. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function isDeprecated(mapping: Mapping): boolean {
  return mapping.stability === 'deprecated';
}

/** Input weighs three to one against output, as in a typical agent turn. */
function weigh({ price }: Mapping): bigint {
  return price ? price.parts.inputUncached * 3n + price.parts.outputText : 0n;
}
