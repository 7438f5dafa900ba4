import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type RateLimit, createLimiter } from '#accounts';
import { systemRandom, systemClock } from '#base';
import type { Mapping } from '#catalogue';
import { HealthRegistry } from '#routing';
import { silentLog } from '#telemetry';
import { Capacity } from '../request/memory/capacity.ts';
import type { Ports } from '../request/ports.ts';
import { createTrip } from '../../../test/support/create-trip.ts';
import { NO_BILL } from '../request/trip.ts';
import { walkRoute } from './route/route-walk.ts';
import type { AttemptEnding, BeginAttempt, AttemptListener } from './attempt-types.ts';

const QUEUE = { length: 0, waitMs: 1 };
const USED = { ...NO_BILL, usage: { ...NO_BILL.usage, inputUncached: 30, outputText: 12 } };

const limitOf = (name: string, kind: RateLimit['kind'], most: number): RateLimit => ({
  owner: 'provider',
  kind,
  counter: `${kind} ${name}`,
  most,
});

/** A walk along providers with one place each, whose attempts end or begin when the test says so. */
function openWalk(names: readonly string[], { broken = '', isAdaptive = true } = {}) {
  const trip = createTrip({ credential: 'gateway', inputEstimate: 5 });
  const limiter = createLimiter({ clock: systemClock, log: silentLog, keyValue: {} });
  const capacity = new Capacity(limiter);
  const limitsOf = (name: string) => [limitOf(name, 'concurrency', 1), limitOf(name, 'tokens', 1_000)];
  const pools = names.map((name) => {
    const allowance = { limits: limitsOf(name), queue: QUEUE };
    return [name, [{ name: 'default', weight: 1, provider: { id: name }, allowance }]] as const;
  });
  const health = new HealthRegistry();
  const ports = {
    capacity,
    random: systemRandom,
    clock: { monotonicMs: () => performance.now() },
    health,
    live: () => ({
      providers: new Map(names.map((name) => [name, { id: name }])),
      pools: new Map(pools),
      routing: { isAdaptive, hedges: true },
    }),
    telemetry: { attemptEnded: () => undefined, attemptFailed: () => undefined },
  } as unknown as Ports;
  const calls: { name: string; listener: AttemptListener; end(ending: AttemptEnding): void }[] = [];
  const begin: BeginAttempt = ({ providerId }, _provider, listener) => {
    if (providerId === broken) throw new Error('a fault of the gateway');
    const { promise, resolve } = Promise.withResolvers<AttemptEnding>();
    calls.push({ name: providerId, listener, end: resolve });
    const meter = { hasDelivered: false, bill: USED, finish: undefined };
    const stop = () => resolve({ type: 'canceled' });
    return { meter, status: 0, run: () => promise, cancel: stop, giveUp: stop };
  };
  const route = names.map((providerId) => ({ providerId, externalId: 'm' }) as Mapping);
  const callOf = async (name: string) => {
    for (;;) {
      const call = calls.find((one) => one.name === name);
      if (call) return call;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    calls,
    callOf,
    /** No further call is allowed to requests whose first choice is this provider. */
    refuseRetries: (name: string) => {
      const { retries, hedges } = health.budgetsOf(name, 0);
      for (const budget of [retries, hedges]) mock.method(budget, 'hasAny', () => false);
    },
    occupy: (name: string) => limiter.take([limitOf(name, 'concurrency', 1)], 0),
    run: () => walkRoute({ ports, trip }, route, { begin, waiting: { timing: 'firstEvent', unknownMs: 1 } }),
    usedOf: async (kind: RateLimit['kind']) => {
      await new Promise((resolve) => setImmediate(resolve));
      const states = await limiter.look(names.map((name) => limitOf(name, kind, 1)));
      return states.map(({ used }) => used);
    },
    attempts: () => trip.attempts.map(({ providerId, outcome }) => `${providerId} ${outcome}`),
  };
}

test('a rival and the one it outpaces free their places, and count the tokens they used', async () => {
  const walk = openWalk(['one', 'two']);
  const ended = walk.run();
  const second = await walk.callOf('two');
  assert.deepEqual(await walk.usedOf('concurrency'), [1, 1]);
  assert.deepEqual(await walk.usedOf('tokens'), [5, 5]);
  second.listener.onBegin();
  assert.deepEqual(await walk.usedOf('concurrency'), [0, 1], 'until its answer ends');
  second.end({ type: 'answered' });
  await ended;
  assert.deepEqual(await walk.usedOf('concurrency'), [0, 0]);
  assert.deepEqual(await walk.usedOf('tokens'), [42, 42]);
});

test('a rival at its limits is passed over', async () => {
  const walk = openWalk(['one', 'two', 'three']);
  await walk.occupy('two');
  const ended = walk.run();
  const third = await walk.callOf('three');
  third.listener.onBegin();
  third.end({ type: 'answered' });
  await ended;
  assert.deepEqual(walk.attempts(), ['one outpaced', 'three answered']);
  assert.deepEqual(await walk.usedOf('concurrency'), [0, 1, 0]);
});

test('a provider that is not called because retries are too many keeps its place and its tokens', async () => {
  const walk = openWalk(['one', 'two']);
  walk.refuseRetries('one');
  const ended = walk.run();
  const first = await walk.callOf('one');
  first.end({ type: 'failed', failure: { kind: 'overloaded', message: 'busy' } });
  await ended;
  assert.deepEqual(walk.attempts(), ['one overloaded']);
  assert.deepEqual(await walk.usedOf('concurrency'), [0, 0]);
  assert.deepEqual(await walk.usedOf('tokens'), [42, 0]);
});

test('a fault of the gateway frees every place', async () => {
  const walk = openWalk(['one', 'two'], { broken: 'two' });
  await assert.rejects(walk.run(), /a fault of the gateway/);
  assert.deepEqual(await walk.usedOf('concurrency'), [0, 0]);
  assert.deepEqual(await walk.usedOf('tokens'), [42, 0], 'what was not called has used none');
});

for (const isAdaptive of [true, false])
  test(`a provider at its limits is not called, ${isAdaptive ? 'adaptive' : 'plain'} routing; where all are, the request is refused`, async () => {
    const walk = openWalk(['one', 'two'], { isAdaptive });
    await walk.occupy('one');
    const ended = walk.run();
    (await walk.callOf('two')).end({ type: 'answered' });
    await ended;
    assert.deepEqual(walk.attempts(), ['two answered']);
    await walk.occupy('two');
    await assert.rejects(walk.run(), { code: 'upstream_overloaded', message: /limits of this gateway/ });
  });
