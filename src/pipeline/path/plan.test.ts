import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import type { Arrival } from '../request/arrival.ts';
import { plan } from './plan.ts';
import type { Ports } from '../request/ports.ts';
import { Trip } from '../request/trip.ts';

const NOW_MS = 1_000;

function createMapping(providerId: string, input: bigint): Mapping {
  const price = { parts: { inputUncached: input, outputText: 0n } };
  return { providerId, externalId: 'm', format: 'chat', stability: 'stable', price } as unknown as Mapping;
}

interface Situation {
  /** Providers for which the organization has its own key. */
  own?: readonly string[];
  coolUntil?: Record<string, number>;
}

function planFor(route: readonly Mapping[], { own, coolUntil = {} }: Situation = {}): [string, string] {
  const trip = new Trip({ format: { id: 'chat' } } as unknown as Arrival);
  const caller = { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' };
  trip.note({ caller: { ...caller, ...(own && { byok: {} as never }) } });
  const providers = route.map(({ providerId }) => [
    providerId,
    own?.includes(providerId) ? { credentialId: `pk_${providerId}` } : {},
  ]);
  const ports = {
    clock: { monotonicMs: () => NOW_MS },
    health: { health: new Map(Object.entries(coolUntil)) },
    live: () => ({ providers: new Map(providers as [string, object][]) }),
  } as unknown as Ports;
  const planned = plan(ports, trip, route).map(({ providerId }) => providerId);
  return [planned.join(' '), trip.get('credential')];
}

const EXPENSIVE = createMapping('dear', 2n);
const CHEAP = createMapping('cheap', 1n);

test('mappings are tried the cheapest first, and those that failed lately last', () => {
  assert.deepEqual(planFor([EXPENSIVE, CHEAP]), ['cheap dear', 'gateway']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { coolUntil: { 'cheap/m': NOW_MS + 1 } }), [
    'dear cheap',
    'gateway',
  ]);
  assert.deepEqual(planFor([EXPENSIVE]), ['dear', 'gateway']);
});

test('an organization’s own keys are the only ones tried, in the same order', () => {
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: ['dear'] }), ['dear', 'own']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: ['dear', 'cheap'] }), ['cheap dear', 'own']);
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: [] }), ['cheap dear', 'gateway']);
  const cooling = { 'cheap/m@pk_cheap': NOW_MS + 1 };
  assert.deepEqual(planFor([EXPENSIVE, CHEAP], { own: ['dear', 'cheap'], coolUntil: cooling }), [
    'dear cheap',
    'own',
  ]);
});
