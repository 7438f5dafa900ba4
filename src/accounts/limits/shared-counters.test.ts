import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { createRandomText } from '#base';
import type { KeyValue } from '#storage';
import { startRedis } from '../../../test/support/redis.ts';
import { SLOWNESS_MS } from '../../../test/support/within.ts';
import type { RateLimit } from './rate-limits.ts';
import { END, RENEW } from './scripts.ts';
import { SharedCounters } from './shared-counters.ts';
import { SlidingWindow } from './sliding-window.ts';

const redis = await startRedis();
after(() => redis?.[Symbol.asyncDispose]());
const store = await redis?.connect();
const evaluate = store?.evaluate ?? (() => Promise.resolve(undefined));
const skip = redis === undefined && 'redis-server is not installed';

const createLimit = (kind: RateLimit['kind'], most: number): RateLimit => ({
  owner: 'key',
  kind,
  counter: `limit:${kind}:${createRandomText(12)}`,
  most,
});

const SEED = `
local second = tonumber(redis.call('TIME')[1])
for at = 1, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], second - tonumber(ARGV[at]), ARGV[at + 1]) end
return second`;

suite('counters in Redis', { skip }, () => {
  test('count as the window of one process does', async () => {
    const counters = new SharedCounters(evaluate);
    const past = fc.array(fc.tuple(fc.nat(70), fc.integer({ min: 1, max: 9 })), { maxLength: 20 });
    const property = fc.asyncProperty(
      past,
      fc.nat({ max: 40 }),
      fc.nat({ max: 20 }),
      async (counts, most, amount) => {
        const limit = createLimit('tokens', most + 1);
        const second = await evaluate(SEED, [limit.counter], counts.flat());
        const answer = await counters.take([limit], amount + 1, 'lease');
        if (typeof second !== 'number' || answer?.second !== second) return; // a second passed in between
        const window = new SlidingWindow();
        for (const [ago, count] of counts) window.add(count, (second - ago) * 1_000);
        const nowMs = second * 1_000;
        const waitMs = window.waitFor(amount + 1, most + 1, nowMs);
        const [state] = answer.states;
        assert.equal(answer.isAdmitted, waitMs === 0);
        if (answer.isAdmitted) window.add(amount + 1, nowMs);
        assert.equal(state?.used, window.used(nowMs));
        assertNear(state.waitMs, waitMs);
        assertNear(state.resetMs, window.resetMs(nowMs));
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test('the slots of a crashed process are released after 30 s', async () => {
    const limit = createLimit('concurrency', 1);
    const dead = new SharedCounters(evaluate);
    const living = new SharedCounters(evaluate);
    assert.equal((await dead.take([limit], 1, 'dead'))?.isAdmitted, true);
    assert.equal((await living.take([limit], 1, 'living'))?.isAdmitted, false);
    const expiry = `return redis.call('ZSCORE', KEYS[1], 'dead') - redis.call('TIME')[1] * 1000`;
    const leftMs = Number(await evaluate(expiry, [limit.counter], []));
    assert.ok(leftMs > 28_000 - SLOWNESS_MS && leftMs <= 31_000, String(leftMs));
    await evaluate(`return redis.call('ZADD', KEYS[1], 1, 'dead')`, [limit.counter], []);
    assert.equal((await living.take([limit], 1, 'living'))?.isAdmitted, true);
  });

  test('a slot is held as long as its request runs, even if Redis loses its data', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const limit = createLimit('concurrency', 1);
    const calls: Promise<unknown>[] = [];
    const noted: NonNullable<KeyValue['evaluate']> = (...call) => {
      const answer = evaluate(...call);
      calls.push(answer);
      return answer;
    };
    const counters = new SharedCounters(noted);
    await counters.take([limit], 1, 'long');
    counters.keep([limit], 'long');
    await evaluate(`return redis.call('DEL', KEYS[1])`, [limit.counter], []);
    context.mock.timers.tick(10_000);
    await Promise.all(calls);
    assert.equal((await counters.take([limit], 1, 'other'))?.isAdmitted, false);
    counters.end({ limits: [limit], lease: 'long', counted: 0, used: 0 });
    const count = calls.length;
    context.mock.timers.tick(60_000);
    assert.equal(calls.length, count, 'nothing is renewed once all requests have ended');
    assert.equal((await counters.take([limit], 1, 'other'))?.isAdmitted, true);
  });
});

/** Counters on a Redis that only notes the calls of a script, by their first arguments. */
function createNoted(answer: () => Promise<unknown> = () => Promise.resolve(undefined)) {
  const calls: { script: string; keys: readonly string[]; args: readonly (string | number)[] }[] = [];
  const counters = new SharedCounters((script, keys, args) => {
    calls.push({ script, keys, args });
    return answer();
  });
  return { calls, counters };
}

test('slots are renewed every ten seconds until the last request has ended, and anew for the next', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const { calls, counters } = createNoted();
  const limits = [createLimit('concurrency', 1)];
  const renewals = (ms: number): number => {
    context.mock.timers.tick(ms);
    return calls.splice(0).filter(({ script }) => script === RENEW).length;
  };
  const end = (lease: string) => counters.end({ limits, lease, counted: 0, used: 0 });
  counters.keep(limits, 'one');
  counters.keep(limits, 'two');
  assert.deepEqual([renewals(9_999), renewals(1)], [0, 1]);
  end('one');
  assert.equal(renewals(10_000), 1);
  end('two');
  assert.equal(renewals(60_000), 0);
  counters.keep(limits, 'three');
  assert.equal(renewals(10_000), 1);
  end('three');
});

test('many slots are renewed two hundred at a time, each batch after the one before', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const answers: (() => void)[] = [];
  const { calls, counters } = createNoted(
    () => new Promise<undefined>((resolve) => answers.push(() => resolve(undefined))),
  );
  const limit = createLimit('concurrency', 500);
  for (let lease = 0; lease < 400; lease += 1) counters.keep([limit], `lease-${lease}`);
  context.mock.timers.tick(10_000);
  assert.deepEqual(
    calls.map(({ keys }) => keys.length),
    [200],
  );
  for (let answered = 0; answered < answers.length; answered += 1) {
    answers[answered]?.();
    await setImmediate();
  }
  assert.deepEqual(
    calls.map(({ keys, args }) => [keys.length, args.length]),
    [
      [200, 201],
      [200, 201],
    ],
  );
});

test('a request that was counted alone ends with all it used, at no known second', () => {
  const { calls, counters } = createNoted();
  counters.end({ limits: [createLimit('requests', 1)], lease: 'a', counted: 0, used: 9 });
  assert.equal(calls.length, 0, 'requests need no end');
  counters.end({ limits: [createLimit('tokens', 1)], lease: 'b', counted: 2, used: 8.5 });
  assert.deepEqual(
    calls.map(({ script, args }) => [script, args]),
    [[END, ['b', 0, 'tokens', 7]]],
  );
});

/** The local window was read at the start of the second, Redis somewhere within it. */
function assertNear(sharedMs: number, localMs: number): void {
  if (localMs === Infinity || localMs === 0) assert.equal(sharedMs, localMs);
  else assert.ok(localMs - sharedMs >= 0 && localMs - sharedMs < 1_000, `${sharedMs} is not ${localMs}`);
}
