import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { HealthRegistry } from './health-registry.ts';
import { type RoutePlan, planRoute } from './plan-route.ts';

type PlanFacts = Parameters<typeof planRoute>[1];

const NOW_MS = 1_000;
const RULES: PlanFacts['rules'] = { isAdaptive: true, strategy: 'balanced' };
const ANY = { order: [], allowsFallbacks: true };

function createMapping(providerId: string, input: bigint, modelId = 'model'): Mapping {
  const price = { parts: { inputUncached: input, inputCacheRead: 0n, outputText: 0n } };
  return { providerId, externalId: 'm', modelId, format: 'chat', stability: 'stable', price } as Mapping;
}

const CHEAP = createMapping('cheap', 1n);
const COSTLY = createMapping('costly', 2n);

interface Situation extends Partial<Pick<PlanFacts, 'rules' | 'preferences' | 'trial' | 'session'>> {
  /** Milliseconds to the first event by provider. */
  times?: Record<string, number>;
  /** A provider that has just failed. */
  failing?: string;
}

function plan(mappings: readonly Mapping[], { times = {}, failing, ...facts }: Situation = {}): RoutePlan {
  const registry = new HealthRegistry();
  for (const [providerId, ms] of Object.entries(times))
    registry.of({ providerId, externalId: 'm' }).measure('firstEvent', NOW_MS, ms);
  if (failing !== undefined)
    registry.of({ providerId: failing, externalId: 'm' }).fail(NOW_MS, { pauseMs: 5_000 });
  return planRoute(mappings, {
    rules: RULES,
    preferences: undefined,
    trial: undefined,
    healthOf: (mapping) => registry.of(mapping),
    nowMs: NOW_MS,
    format: 'chat',
    ...facts,
  });
}

/** The providers in their order, by what they are ordered and why the first comes first. */
function explain(mappings: readonly Mapping[], situation?: Situation): string {
  const { order, measure, reason } = plan(mappings, situation);
  return `${order.map(({ providerId }) => providerId).join(' ')} by ${measure}: ${reason}`;
}

test('the strategy of the project counts only where routing is adaptive, that of the request always', () => {
  const times = { cheap: 900, costly: 800 };
  const explainBy = (isAdaptive: boolean, preferences?: PlanFacts['preferences']): string =>
    explain([CHEAP, COSTLY], { times, rules: { isAdaptive, strategy: 'latency' }, preferences });
  assert.equal(explainBy(true), 'costly cheap by latency: latency');
  assert.equal(explainBy(false), 'cheap costly by price: cheapest');
  assert.equal(explainBy(false, { ...ANY, sort: 'latency' }), 'costly cheap by latency: latency');
  assert.equal(explainBy(true, { ...ANY, sort: 'price' }), 'cheap costly by price: cheapest');
});

test('weights are those of the request, else those of the first model, unless the request has a strategy', () => {
  const rules = { ...RULES, weights: new Map([['model', { costly: 1 }]]) };
  const others = [CHEAP, COSTLY, createMapping('other', 0n, 'second')];
  assert.equal(explain([CHEAP, COSTLY], { rules }), 'costly cheap by weights: weights');
  assert.equal(plan(others, { rules }).measure, 'weights');
  assert.equal(plan([CHEAP, createMapping('other', 0n, 'second')], { rules }).measure, 'weights');
  assert.equal(plan(others.toReversed(), { rules }).measure, 'balanced');
  const sorted = { ...ANY, sort: 'price' } as const;
  assert.equal(explain([CHEAP, COSTLY], { rules, preferences: sorted }), 'cheap costly by price: cheapest');
  const weighted = { ...ANY, weights: { cheap: 1 } };
  assert.equal(
    explain([COSTLY, CHEAP], { rules, preferences: weighted }),
    'cheap costly by weights: weights',
  );
  assert.equal(explain([CHEAP, COSTLY], { rules, preferences: ANY }), 'costly cheap by weights: weights');
});

test('what an experiment chose is tried first, the others in their order; if none of it is left, nothing changes', () => {
  const last = createMapping('last', 3n);
  const all = [CHEAP, COSTLY, last];
  assert.equal(explain(all, { trial: new Set([last]) }), 'last cheap costly by balanced: experiment');
  assert.equal(explain(all, { trial: new Set([last, COSTLY]) }), 'costly last cheap by balanced: experiment');
  assert.equal(explain(all, { trial: new Set() }), 'cheap costly last by balanced: cheapest');
});

test('one that is as fast as wanted goes before one that is not, and the reason says so only where it changes the first', () => {
  const preferences = { ...ANY, speed: { firstEvent: { p50: 500 } } };
  const explainTimes = (cheap: number, costly: number, order: string[] = []): string =>
    explain([CHEAP, COSTLY], { times: { cheap, costly }, preferences: { ...preferences, order } });
  assert.equal(explainTimes(501, 500), 'costly cheap by balanced: health');
  assert.equal(explainTimes(500, 501), 'cheap costly by balanced: cheapest');
  assert.equal(explainTimes(501, 501), 'cheap costly by balanced: cheapest');
  assert.equal(explainTimes(400, 400, ['costly']), 'costly cheap by balanced: order');
});

test('a provider that the request names comes first because it is named, else the best by the strategy', () => {
  const preferences = { ...ANY, order: ['costly'] };
  assert.equal(explain([CHEAP, COSTLY], { preferences }), 'costly cheap by balanced: order');
  assert.equal(
    explain([CHEAP, COSTLY], { preferences: { ...ANY, order: ['absent'] } }),
    'cheap costly by balanced: cheapest',
  );
});

test('that another has failed is the reason only where it is the better offer', () => {
  assert.equal(explain([CHEAP, COSTLY], { failing: 'cheap' }), 'costly cheap by balanced: health');
  const equal = createMapping('equal', 1n);
  assert.equal(explain([equal, CHEAP], { failing: 'equal' }), 'cheap equal by balanced: cheapest');
});

test('a session stays where its prompt is cached, which is the reason unless weights decide', () => {
  const home = { providerId: 'costly', externalId: 'm' };
  const session = { home, promptTokens: 10, cachedTokens: 10, outputTokens: 0 };
  assert.equal(explain([CHEAP, COSTLY], { session }), 'costly cheap by balanced: sticky');
  const rules = { ...RULES, weights: new Map([['model', { costly: 1 }]]) };
  assert.equal(explain([CHEAP, COSTLY], { session, rules }), 'costly cheap by weights: weights');
});

test('without mappings there is no order and no reason', () => {
  assert.deepEqual(plan([]), { order: [], ranked: [], measure: 'balanced' });
});
