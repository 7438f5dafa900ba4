import type { Mapping } from '#catalogue';
import {
  type ArrangeOptions,
  type ModelWeights,
  type ProviderWeights,
  type Strategy,
  arrange,
} from './arrange.ts';
import { type WantedSpeed, isFastEnough } from './wanted-speed.ts';
import { type RankedMapping, type RouteFacts, explainFirst, rankMappings } from './rank-route.ts';
import type { FirstReason } from './reason.ts';
import type { RoutingRules } from './rules.ts';

/** The order that a request asks for. */
interface OrderPreferences extends Omit<ArrangeOptions, 'isPreferred'> {
  speed?: WantedSpeed;
}

interface PlanFacts extends Pick<RouteFacts, 'healthOf' | 'nowMs' | 'format' | 'session'> {
  rules: Pick<RoutingRules, 'isAdaptive' | 'strategy' | 'weights'>;
  preferences: OrderPreferences | undefined;
  /** The mappings of its variant of an experiment, which are tried first. */
  trial: ReadonlySet<Mapping> | undefined;
  /** The seed of the weighted draw; without one, the largest weight comes first. */
  seed?: string;
}

export interface RoutePlan {
  order: readonly Mapping[];
  ranked: readonly RankedMapping[];
  /** What `ranked` is ordered by. */
  measure: Strategy | 'weights';
  /** Why the first mapping comes first; absent if there is none. */
  reason?: FirstReason;
}

/** Orders the mappings that a request may use. */
export function planRoute(mappings: readonly Mapping[], facts: PlanFacts): RoutePlan {
  const { rules, preferences, trial, seed } = facts;
  const strategy = preferences?.sort ?? (rules.isAdaptive ? rules.strategy : 'price');
  const weights = findWeights(preferences, rules.weights, mappings[0]);
  const ranked = rankMappings(mappings, { ...facts, strategy, shares: weights && { weights, seed } });
  const measure = weights ? 'weights' : strategy;
  const arranged = arrangeRanked(ranked, mappings, facts);
  const tried = trial ? arranged.filter((mapping) => trial.has(mapping)) : [];
  if (tried.length > 0)
    return { order: [...new Set([...tried, ...arranged])], ranked, measure, reason: 'experiment' };
  const [first] = arranged;
  if (!first) return { order: arranged, ranked, measure };
  const isFaster = preferences?.speed && arrange(orderOf(ranked), mappings, preferences)[0] !== first;
  const isNamed = preferences?.order.includes(first.providerId.toLowerCase());
  const reason = isFaster ? 'health' : isNamed ? 'order' : explainFirst(ranked, first, measure);
  return { order: arranged, ranked, measure, reason };
}

/** The weights of the preferences or, unless these set a strategy, of the model. */
function findWeights(
  preferences: OrderPreferences | undefined,
  ofModels: ModelWeights | undefined,
  first: Mapping | undefined,
): ProviderWeights | undefined {
  return preferences?.weights ?? (preferences?.sort ? undefined : ofModels?.get(first?.modelId ?? ''));
}

function arrangeRanked(
  ranked: readonly RankedMapping[],
  mappings: readonly Mapping[],
  { preferences, healthOf, nowMs }: PlanFacts,
): readonly Mapping[] {
  if (!preferences) return orderOf(ranked);
  const { speed } = preferences;
  if (!speed) return arrange(orderOf(ranked), mappings, preferences);
  const isPreferred = (mapping: Mapping): boolean => {
    const health = healthOf(mapping);
    return ['healthy', 'due'].includes(health.stateAt(nowMs)) && isFastEnough(health, speed);
  };
  return arrange(orderOf(ranked), mappings, { ...preferences, isPreferred });
}

function orderOf(ranked: readonly RankedMapping[]): Mapping[] {
  return ranked.map(({ mapping }) => mapping);
}
