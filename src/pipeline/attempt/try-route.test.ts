import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import type { FailureKind } from '#errors';
import type { Provider } from '#providers';
import type { Arrival } from '../request/arrival.ts';
import { HealthBook } from '../request/health-book.ts';
import type { Ports } from '../request/ports.ts';
import { NO_BILL } from '../path/refuse.ts';
import { Trip, type TripFacts } from '../request/trip.ts';
import { type AttemptEnding, tryRoute } from './try-route.ts';

/**
 * The provider reached by a request that was admitted on one subject while its provider now has a key of the other.
 */
async function sentTo(credential: TripFacts['credential'], provider: Partial<Provider>): Promise<string[]> {
  const trip = new Trip({} as Arrival);
  trip.note({ credential, caller: { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' } });
  const ports = {
    clock: { monotonicMs: () => 0 },
    health: { warmUp: () => undefined },
    live: () => ({ providers: new Map([['acme', provider]]) }),
  } as unknown as Ports;
  const sent: string[] = [];
  const route = [{ providerId: 'acme', externalId: 'm' } as Mapping];
  const walk = tryRoute({ ports, trip }, route, ({ providerId }) => ({
    meter: { hasDelivered: false, bill: NO_BILL, finish: undefined },
    status: 200,
    run: async () => {
      sent.push(providerId);
      return { type: 'answered' };
    },
  }));
  await walk.catch((error: unknown) => sent.push((error as { code: string }).code));
  return sent;
}

test('what was admitted without a hold, for an own key, is never sent with the gateway’s key, nor the other way round', async () => {
  assert.deepEqual(await sentTo('own', {}), ['provider_not_configured']);
  assert.deepEqual(await sentTo('gateway', { credentialId: 'pk_1' }), ['provider_not_configured']);
  assert.deepEqual(await sentTo('own', { credentialId: 'pk_1' }), ['acme']);
  assert.deepEqual(await sentTo('gateway', {}), ['acme']);
});

/** What is recorded of a mapping after an attempt with this ending. */
async function recordAfter(ending: AttemptEnding, { status = 200, credentialId = '' } = {}) {
  const trip = new Trip({ requestId: 'req_1' } as Arrival);
  const caller = { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' };
  const own = credentialId === '' ? {} : { credentialId };
  trip.note({ credential: credentialId === '' ? 'gateway' : 'own', caller });
  const health = new HealthBook();
  const mapping = { providerId: 'acme', externalId: 'm' } as Mapping;
  health.coolDown(mapping, 5_000);
  const ports = {
    clock: { monotonicMs: () => 1_000 },
    health,
    live: () => ({ providers: new Map([['acme', own]]) }),
    telemetry: { attemptFailed: () => undefined },
  } as unknown as Ports;
  await tryRoute({ ports, trip }, [mapping], () => ({
    meter: { hasDelivered: false, bill: NO_BILL, finish: undefined },
    status,
    run: async () => ending,
  }));
  return { health: Object.fromEntries(health.health), attempts: trip.attempts };
}

const healthAfter = async (ending: AttemptEnding) => (await recordAfter(ending)).health;

test('an attempt is noted with its outcome, with the status if there was one, and with an own key', async () => {
  const note = { providerId: 'acme', externalId: 'm', durationMs: 0 };
  const failure = { kind: 'unreachable', message: 'no' } as const;
  const noteAfter = async (...given: Parameters<typeof recordAfter>) =>
    (await recordAfter(...given)).attempts;
  assert.deepEqual(await noteAfter({ type: 'answered' }), [{ ...note, outcome: 'answered', status: 200 }]);
  assert.deepEqual(await noteAfter({ type: 'failed', failure }, { status: 0 }), [
    { ...note, outcome: 'unreachable' },
  ]);
  assert.deepEqual(await noteAfter({ type: 'canceled' }, { status: 0, credentialId: 'pk_1' }), [
    { ...note, outcome: 'canceled', credential: 'own' },
  ]);
});

test('failures of others do not change a provider’s health; its own extend the cooldown, and an answer resets it', async () => {
  const fail = (kind: FailureKind): Promise<Record<string, number>> =>
    healthAfter({ type: 'failed', failure: { kind, message: 'no' } });
  assert.deepEqual(await fail('request-refused'), { 'acme/m': 5_000 });
  assert.deepEqual(await fail('unreachable'), { 'acme/m': 11_000 });
  assert.deepEqual(await healthAfter({ type: 'canceled' }), { 'acme/m': 5_000 });
  assert.deepEqual(await healthAfter({ type: 'answered' }), {});
});
