import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { HealthBook, type ModelWeights, type Strategy } from '#routing';
import type { Arrival } from '../request/arrival.ts';
import { plan } from './plan.ts';
import type { Ports } from '../request/ports.ts';
import { Trip } from '../request/trip.ts';

const NOW_MS = 1_000;

function createMapping(providerId: string, input: bigint): Mapping {
  const price = { parts: { inputUncached: input, outputText: 0n } };
  return { providerId, externalId: 'm', format: 'chat', stability: 'stable', price } as unknown as Mapping;
}

const BALANCED = { isAdaptive: true, strategy: 'balanced' } as const;

interface Situation {
  /** Providers for which the organization has its own key. */
  own?: readonly string[];
  /** Providers that have just failed. */
  failed?: readonly string[];
  routing?: { isAdaptive: boolean; strategy: Strategy; weights?: ModelWeights };
}

function planFor(route: readonly Mapping[], situation?: Situation): [order: string, credential: string] {
  const { planned, trip } = planTrip(route, situation);
  return [planned.map(({ providerId }) => providerId).join(' '), trip.get('credential')];
}

function planTrip(
  route: readonly Mapping[],
  { own, failed = [], routing = BALANCED }: Situation = {},
): { planned: readonly Mapping[]; trip: Trip } {
  const trip = new Trip({ format: { id: 'chat' } } as unknown as Arrival);
  const caller = { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' };
  trip.note({ caller: { ...caller, ...(own && { byok: {} as never }) } });
  const providers = route.map(({ providerId }) => [
    providerId,
    own?.includes(providerId) ? { credentialId: `pk_${providerId}` } : {},
  ]);
  const health = new HealthBook();
  health.of({ providerId: 'dear', externalId: 'm' }).measure('firstEvent', NOW_MS, 100);
  health.of({ providerId: 'cheap', externalId: 'm' }).measure('firstEvent', NOW_MS, 150);
  for (const name of failed) {
    const mapping = { providerId: name, externalId: 'm' };
    health.of(mapping, own?.includes(name) ? `pk_${name}` : undefined).fail(NOW_MS, { pauseMs: 1 });
  }
  const ports = {
    clock: { monotonicMs: () => NOW_MS },
    health,
    live: () => ({ providers: new Map(providers as [string, object][]), routing }),
  } as unknown as Ports;
  return { planned: plan(ports, trip, route), trip };
}

const EXPENSIVE = createMapping('dear', 2n);
const CHEAP = createMapping('cheap', 1n);

test('mappings are tried the cheapest first, and those that failed lately last', () => {
  assert.deepEqual(planFor([EXPENSIVE, CHEAP]), ['cheap dear', 'gateway']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { failed: ['cheap'] }), ['dear cheap', 'gateway']);
  assert.deepEqual(planFor([EXPENSIVE]), ['dear', 'gateway']);
});

test('the strategy of the configuration decides what comes first, unless routing does not adapt', () => {
  const planWith = (strategy: Strategy, isAdaptive = true) =>
    planFor([EXPENSIVE, CHEAP], { routing: { isAdaptive, strategy } })[0];
  assert.equal(planWith('balanced'), 'cheap dear');
  assert.equal(planWith('latency'), 'dear cheap');
  assert.equal(planWith('price'), 'cheap dear');
  assert.equal(planWith('latency', false), 'cheap dear');
});

test('why the first was chosen is told', () => {
  const route = [EXPENSIVE, CHEAP].map((mapping) => ({ ...mapping, modelId: 'm' }));
  const reasonFor = (situation: Situation, mappings = route) =>
    planTrip(mappings, situation).trip.facts.choice?.reason;
  const weights: ModelWeights = new Map([['m', { dear: 1 }]]);
  assert.equal(reasonFor({}), 'cheapest');
  assert.equal(reasonFor({ routing: { ...BALANCED, strategy: 'latency' } }), 'latency');
  assert.equal(reasonFor({ routing: { ...BALANCED, weights } }), 'weights');
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
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: ['dear'] }), ['dear', 'own']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: ['dear', 'cheap'] }), ['cheap dear', 'own']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: [] }), ['cheap dear', 'gateway']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: ['dear', 'cheap'], failed: ['cheap'] }), [
    'dear cheap',
    'own',
  ]);
});
