import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { HealthRegistry, type ModelWeights, type Session, type Strategy } from '#routing';
import { plan } from './plan.ts';
import type { Ports } from '../../request/ports.ts';
import type { Trip, TripFacts } from '../../request/trip.ts';
import { CALLER, createTrip } from '../../../../test/support/create-trip.ts';

const NOW_MS = 1_000;

function createMapping(providerId: string, input: bigint): Mapping {
  const price = { parts: { inputUncached: input, outputText: 0n } };
  return { providerId, externalId: 'm', format: 'chat', stability: 'stable', price } as unknown as Mapping;
}

const TIMES_MS = { expensive: 100, cheap: 150 };
const BALANCED = { isAdaptive: true, strategy: 'balanced' } as const;

interface Situation {
  /** Providers for which the organization has its own key. */
  own?: readonly string[];
  /** Providers that have just failed. */
  failed?: readonly string[];
  routing?: { isAdaptive: boolean; strategy: Strategy; weights?: ModelWeights };
  /** Times to first event that are known. */
  timesMs?: Readonly<Record<string, number>>;
  trial?: readonly Mapping[];
  session?: Session;
  preferences?: TripFacts['preferences'];
  health?: HealthRegistry;
}

function planFor(route: readonly Mapping[], situation?: Situation): [order: string, credential: string] {
  const { planned, trip } = planTrip(route, situation);
  return [planned.map(({ providerId }) => providerId).join(' '), trip.get('credential')];
}

function planTrip(
  route: readonly Mapping[],
  situation: Situation = {},
): { planned: readonly Mapping[]; trip: Trip } {
  const { own, failed = [], routing = BALANCED, timesMs = TIMES_MS } = situation;
  const { trial, session, preferences, health = new HealthRegistry() } = situation;
  const facts: Partial<TripFacts> = {
    caller: { ...CALLER, ...(own && { byok: {} as never }) },
    ...(trial && { trial: { name: 'x/y', mappings: new Set(trial) } }),
    prompt: {} as never,
    ...(preferences && { preferences }),
  };
  const trip = createTrip(facts, { format: { id: 'chat' } });
  const providers = route.map(({ providerId }) => [
    providerId,
    own?.includes(providerId) ? { credentialId: `pk_${providerId}` } : {},
  ]);
  for (const [providerId, ms] of Object.entries(timesMs))
    health.of({ providerId, externalId: 'm' }).measure('firstEvent', NOW_MS, ms);
  for (const name of failed) {
    const mapping = { providerId: name, externalId: 'm' };
    health.of(mapping, own?.includes(name) ? `pk_${name}` : undefined).fail(NOW_MS, { pauseMs: 1 });
  }
  const ports = {
    clock: { monotonicMs: () => NOW_MS },
    health,
    live: () => ({ providers: new Map(providers as [string, object][]), routing }),
    prompts: { findSession: () => session },
  } as unknown as Ports;
  return { planned: plan(ports, trip, route), trip };
}

const EXPENSIVE = createMapping('expensive', 2n);
const CHEAP = createMapping('cheap', 1n);

test('mappings are tried the cheapest first, and those that failed lately last', () => {
  assert.deepEqual(planFor([EXPENSIVE, CHEAP]), ['cheap expensive', 'gateway']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { failed: ['cheap'] }), ['expensive cheap', 'gateway']);
  assert.deepEqual(planFor([EXPENSIVE]), ['expensive', 'gateway']);
});

test('the strategy of the configuration decides what comes first, unless routing does not adapt', () => {
  const planWith = (strategy: Strategy, isAdaptive = true) =>
    planFor([EXPENSIVE, CHEAP], { routing: { isAdaptive, strategy } })[0];
  assert.equal(planWith('balanced'), 'cheap expensive');
  assert.equal(planWith('latency'), 'expensive cheap');
  assert.equal(planWith('price'), 'cheap expensive');
  assert.equal(planWith('latency', false), 'cheap expensive');
});

test('the reason for the first choice is recorded', () => {
  const route = [EXPENSIVE, CHEAP].map((mapping) => ({ ...mapping, modelId: 'm' }));
  const reasonFor = (situation: Situation, mappings = route) =>
    planTrip(mappings, situation).trip.facts.choice?.reason;
  const weights: ModelWeights = new Map([['m', { expensive: 1 }]]);
  assert.equal(reasonFor({}), 'cheapest');
  assert.equal(reasonFor({ routing: { ...BALANCED, strategy: 'latency' } }), 'latency');
  assert.equal(reasonFor({ routing: { ...BALANCED, weights } }), 'weights');
  const [expensive, cheap] = route as [Mapping, Mapping];
  const fallback = { ...createMapping('third', 1n), modelId: 'other' };
  assert.equal(reasonFor({ routing: { ...BALANCED, weights } }, [expensive, fallback, cheap]), 'weights');
  assert.equal(reasonFor({ failed: ['cheap'] }), 'health');
  assert.equal(reasonFor({}, [CHEAP]), 'only');
});

test('with models to fall back on, the requested one decides whose keys are used', () => {
  const [other, third] = [createMapping('other', 1n), createMapping('third', 1n)].map((mapping) => ({
    ...mapping,
    modelId: 'b',
  })) as [Mapping, Mapping];
  const requested = { ...CHEAP, modelId: 'a' };
  assert.deepEqual(planFor([requested, other, third], { own: ['other'] }), ['cheap third', 'gateway']);
  assert.deepEqual(planFor([requested, other, third], { own: ['cheap', 'third'] }), ['cheap third', 'own']);
});

test('an organization’s own keys are the only ones tried, in the same order', () => {
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: ['expensive'] }), ['expensive', 'own']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: ['expensive', 'cheap'] }), ['cheap expensive', 'own']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: [] }), ['cheap expensive', 'gateway']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: ['expensive', 'cheap'], failed: ['cheap'] }), [
    'expensive cheap',
    'own',
  ]);
});

test('a mapping of unknown speed is tried beside a slow one, but not in a session, in an experiment or against a wish', () => {
  const route = [CHEAP, EXPENSIVE].map((mapping) => ({
    ...mapping,
    modelId: 'm',
    price: { parts: { ...mapping.price?.parts, inputCacheRead: 0n } } as Mapping['price'],
  })) as [Mapping, Mapping];
  const home = { providerId: 'cheap', externalId: 'm' };
  const session = { home, promptTokens: 100, cachedTokens: 100, outputTokens: 1 };
  const firstOf = (situation: Situation): string | undefined =>
    planTrip(route, { timesMs: { cheap: 5_000 }, ...situation }).planned[0]?.providerId;
  assert.equal(firstOf({}), 'expensive');
  assert.equal(firstOf({ session }), 'cheap');
  assert.equal(planTrip(route, { session }).trip.facts.session, session, 'its credential is kept, too');
  assert.equal(firstOf({ trial: [route[0]] }), 'cheap');
  const preferences = {
    order: [],
    allowsFallbacks: true,
    isAsked: true,
    rules: [],
    models: [],
    fallbackModels: [],
  };
  assert.equal(firstOf({ preferences }), 'cheap');
});
