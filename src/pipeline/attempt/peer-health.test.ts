import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '#base';
import type { Mapping } from '#catalogue';
import type { FailureKind, UpstreamFailure } from '#errors';
import { HealthRegistry } from '#routing';
import { NO_BILL } from '../request/trip.ts';
import type { Ports } from '../request/ports.ts';
import { createTrip } from '../../../test/support/create-trip.ts';
import { walkRoute } from './route/route-walk.ts';
import type { AttemptEnding } from './attempt-types.ts';

const MAPPING = { providerId: 'acme', externalId: 'm' } as Mapping;
const OTHER = { providerId: 'other', externalId: 'm' } as Mapping;
const ANSWERED: AttemptEnding = { type: 'answered' };
const failing = (kind: FailureKind, more: Partial<UpstreamFailure> = {}): AttemptEnding => ({
  type: 'failed',
  failure: { kind, message: 'no', ...more },
});

/** A provider with two credentials at one address and a third at another, and a provider with one. */
function openProvider({ hasFar = true } = {}) {
  let nowMs = 1_000;
  const health = new HealthRegistry();
  const credential = (name: string, address?: string) => ({
    name,
    weight: name === 'one' ? 1 : 0,
    provider: { id: 'acme', credentialName: name },
    ...(address !== undefined && { address }),
  });
  const ports = {
    random: systemRandom,
    clock: { monotonicMs: () => nowMs },
    health,
    live: () => ({
      providers: new Map([
        ['acme', { id: 'acme', credentialName: 'one' }],
        ['other', { id: 'other' }],
      ]),
      pools: new Map([
        [
          'acme',
          [credential('one'), credential('two'), ...(hasFar ? [credential('far', 'https://far')] : [])],
        ],
      ]),
      routing: { isAdaptive: true, hedges: false },
    }),
    telemetry: { attemptEnded: () => undefined, attemptFailed: () => undefined },
  } as unknown as Ports;
  const states = () => ['one', 'two', 'far'].map((name) => health.of(MAPPING, name).stateAt(nowMs));
  const statesDuring: string[][] = [];
  return {
    /** One request; returns the credentials it called. */
    call: async (endings: Readonly<Record<string, AttemptEnding>>): Promise<string[]> => {
      const trip = createTrip();
      const begin = (_mapping: Mapping, { id, credentialName }: { id: string; credentialName?: string }) => ({
        meter: { hasDelivered: false, bill: NO_BILL, finish: undefined },
        status: 0,
        run: async () => {
          statesDuring.push(states());
          return endings[credentialName ?? id] ?? ANSWERED;
        },
        cancel: () => undefined,
        giveUp: () => undefined,
      });
      await walkRoute({ ports, trip }, [MAPPING, OTHER], { begin });
      return trip.attempts.map(({ providerId, credential: name }) => name ?? providerId);
    },
    states,
    /** Those at the beginning of each call. */
    statesDuring,
    pass: (ms: number) => void (nowMs += ms),
  };
}

test('a fault of the provider counts for its other credentials at the same address, and so does its end', async () => {
  const provider = openProvider();
  assert.deepEqual(await provider.call({ one: failing('overloaded') }), ['one', 'other']);
  assert.deepEqual(provider.states(), ['poor', 'poor', 'healthy']);
  assert.deepEqual(await provider.call({}), ['far']);
  assert.deepEqual(provider.states(), ['poor', 'poor', 'healthy'], 'another address says nothing');
  provider.pass(6_000);
  for (let success = 0; success < 4; success += 1) assert.deepEqual(await provider.call({}), ['one']);
  assert.deepEqual(provider.states(), ['healthy', 'healthy', 'healthy']);
});

test('so it does where there are two', async () => {
  const provider = openProvider({ hasFar: false });
  await provider.call({ one: failing('overloaded') });
  assert.deepEqual(provider.states().slice(0, 2), ['poor', 'poor']);
});

test('of credentials whose provider failed, one probes for all', async () => {
  const provider = openProvider();
  await provider.call({ one: failing('unreachable') });
  provider.pass(6_000);
  assert.deepEqual(provider.states(), ['due', 'due', 'healthy']);
  assert.deepEqual(await provider.call({ one: failing('unreachable') }), ['one', 'other']);
  assert.deepEqual(provider.statesDuring.at(-2), ['poor', 'poor', 'healthy'], 'while the probe runs');
  assert.deepEqual(provider.states(), ['poor', 'poor', 'healthy']);
});

test('what is about a credential counts for it alone, and the success of another does not end its pause', async () => {
  for (const failure of [failing('credential-refused'), failing('rate-limited', { retryAfterSeconds: 60 })]) {
    const provider = openProvider();
    assert.deepEqual(await provider.call({ one: failure }), ['one', 'two']);
    const [state] = provider.states();
    assert.deepEqual(provider.states().slice(1), ['healthy', 'healthy']);
    for (let success = 0; success < 5; success += 1) assert.deepEqual(await provider.call({}), ['two']);
    assert.equal(provider.states()[0], state);
  }
});

test('one failure among answers that another call makes up for is no reason to pause, whatever its kind', async () => {
  for (const kind of ['broken', 'overloaded', 'unreachable', 'garbled', 'rate-limited'] as const) {
    const provider = openProvider({ hasFar: false });
    for (let success = 0; success < 10; success += 1) await provider.call({});
    await provider.call({ one: failing(kind) });
    assert.deepEqual(provider.states().slice(0, 2), ['healthy', 'healthy'], kind);
    await provider.call({ one: failing(kind) });
    assert.equal(provider.states()[0], 'poor', 'two in a row are');
  }
  const provider = openProvider({ hasFar: false });
  for (let success = 0; success < 10; success += 1) await provider.call({});
  await provider.call({ one: failing('timed-out') });
  assert.equal(provider.states()[0], 'poor');
});
