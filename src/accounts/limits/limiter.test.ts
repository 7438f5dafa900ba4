import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createRandomText, systemClock } from '#base';
import { type Log, silentLog } from '#telemetry';
import { startRedis } from '../../../test/support/redis.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { until } from '../../../test/support/until.ts';
import { SLOWNESS_MS } from '../../../test/support/within.ts';
import { type Limiter, type LimiterSlot, createLimiter } from './limiter.ts';
import type { LimitKind, RateLimit } from './rate-limits.ts';
import { END } from './scripts.ts';

const redis = await startRedis();
after(() => redis?.[Symbol.asyncDispose]());
const skip = redis === undefined && 'redis-server is not installed';

/** Limits of a subject that no other test uses. */
function createLimits(
  limits: Partial<Record<LimitKind, number>>,
  owner: RateLimit['owner'] = 'key',
): RateLimit[] {
  const id = createRandomText(12);
  return Object.entries(limits).map(([kind, most]) => ({
    owner,
    kind: kind as LimitKind,
    counter: `limit:${kind}:${id}`,
    most,
  }));
}

const openLocal = (): Limiter => createLimiter({ clock: systemClock, log: silentLog, keyValue: {} });

async function openShared(log: Log = silentLog): Promise<Limiter> {
  assert.ok(redis);
  return createLimiter({ clock: systemClock, log, keyValue: await redis.connect() });
}

async function takeMany(
  limiter: Limiter,
  limits: RateLimit[],
  { count, tokens = 1 }: { count: number; tokens?: number },
): Promise<LimiterSlot[]> {
  const taken = await Promise.all(Array.from({ length: count }, () => limiter.take(limits, tokens)));
  return taken.flatMap(({ slot }) => slot ?? []);
}

async function usedOf(limiter: Limiter, limits: RateLimit[]): Promise<number[]> {
  return (await limiter.look(limits)).map(({ used }) => used);
}

const LIMITERS = { 'of one process': async () => openLocal(), shared: () => openShared() };

for (const [name, open] of Object.entries(LIMITERS)) {
  suite(`what a limiter ${name} promises`, { skip: name === 'shared' && skip }, () => {
    test('the limit admits exactly that many requests, and refused ones are not counted', async () => {
      const limiter = await open();
      const limits = createLimits({ requests: 7 });
      assert.equal((await takeMany(limiter, limits, { count: 20 })).length, 7);
      assert.deepEqual(await usedOf(limiter, limits), [7]);
      const { states, slot } = await limiter.take(limits, 1);
      assert.equal(slot, undefined);
      const { waitMs = 0, resetMs = 0, used } = states[0] ?? {};
      assert.equal(used, 7);
      assert.ok(waitMs > 58_000 - SLOWNESS_MS && waitMs <= 61_000, String(waitMs));
      assert.ok(resetMs >= waitMs && resetMs <= 61_000, String(resetMs));
    });

    test('a request counts against all of its limits or none', async () => {
      const limiter = await open();
      const limits = [
        ...createLimits({ requests: 10, tokens: 1_000 }),
        ...createLimits({ requests: 3 }, 'organization'),
      ];
      assert.equal((await takeMany(limiter, limits, { count: 10, tokens: 100 })).length, 3);
      assert.deepEqual(await usedOf(limiter, limits), [3, 300, 3]);
      const { states } = await limiter.take(limits, 100);
      assert.deepEqual(
        states.map(({ waitMs }) => waitMs > 0),
        [false, false, true],
      );
    });

    test('tokens are corrected by what was really used', async () => {
      const limiter = await open();
      const limits = createLimits({ tokens: 1_000 });
      const [slot] = await takeMany(limiter, limits, { count: 1, tokens: 400 });
      assert.deepEqual(await usedOf(limiter, limits), [400]);
      slot?.end(150);
      slot?.end(900);
      assert.deepEqual(await usedOf(limiter, limits), [150]);
      const [more] = await takeMany(limiter, limits, { count: 1, tokens: 800 });
      more?.end(5_000);
      assert.deepEqual(await usedOf(limiter, limits), [5_150]);
      assert.equal((await takeMany(limiter, limits, { count: 1, tokens: 1 })).length, 0);
    });

    test('a request larger than the limit never fits', async () => {
      const limiter = await open();
      const { slot, states } = await limiter.take(createLimits({ tokens: 100 }), 101);
      assert.equal(slot, undefined);
      assert.equal(states[0]?.waitMs, Infinity);
    });

    test('a place is free again at once after its request ended, once', async () => {
      const limiter = await open();
      const limits = createLimits({ concurrency: 2 });
      const [first, second] = await takeMany(limiter, limits, { count: 5 });
      assert.ok(first && second);
      assert.equal((await takeMany(limiter, limits, { count: 1 })).length, 0);
      first.end(0);
      first.end(0);
      assert.equal((await takeMany(limiter, limits, { count: 3 })).length, 1);
      assert.deepEqual(await usedOf(limiter, limits), [2]);
    });

    test('a limit that was lowered holds at once', async () => {
      const limiter = await open();
      const limits = createLimits({ requests: 10 });
      await takeMany(limiter, limits, { count: 5 });
      const lowered = limits.map((limit) => ({ ...limit, most: 4 }));
      assert.equal((await takeMany(limiter, lowered, { count: 1 })).length, 0);
    });
  });
}

test('a limiter of one process admits a request when its wait is over, by its own clock', async () => {
  const clock = new TestClock();
  const limiter = createLimiter({ clock, log: silentLog, keyValue: {} });
  const limits = createLimits({ requests: 2 });
  assert.equal((await takeMany(limiter, limits, { count: 3 })).length, 2);
  const { waitMs = 0 } = (await limiter.take(limits, 1)).states[0] ?? {};
  clock.advance(waitMs - 1);
  assert.equal((await takeMany(limiter, limits, { count: 1 })).length, 0);
  clock.advance(1);
  assert.equal((await takeMany(limiter, limits, { count: 3 })).length, 2);
});

/** A limiter whose Redis never answers, and the ends reported to it. */
function openUnanswered(clock = new TestClock()) {
  const ends: (readonly (string | number)[])[] = [];
  const warnings: string[] = [];
  const limiter = createLimiter({
    clock,
    log: { ...silentLog, warn: (_: unknown, text: string) => void warnings.push(text) },
    keyValue: {
      evaluate: async (script, _, args) => void (script === END && ends.push(args)),
    },
  });
  return { limiter, ends, warnings };
}

test('what Redis may have counted although it did not answer is taken back', async () => {
  const { limiter, ends } = openUnanswered();
  const limits = createLimits({ tokens: 10 });
  const { slot } = await limiter.take(limits, 10);
  assert.equal((await limiter.take(limits, 1)).slot, undefined);
  slot?.end(7);
  assert.deepEqual(
    ends.map(([lease, ...rest]) => [String(lease).length, ...rest]),
    [
      [16, 0, 'tokens', 0],
      [16, 0, 'tokens', 7],
    ],
  );
});

test('an outage of Redis is reported once, and again after a minute without a report', async () => {
  const clock = new TestClock();
  const { limiter, warnings } = openUnanswered(clock);
  const countAfter = async (ms: number): Promise<number> => {
    clock.advance(ms);
    await limiter.take(createLimits({ requests: 1 }), 1);
    return warnings.length;
  };
  assert.deepEqual([await countAfter(0), await countAfter(59_999), await countAfter(60_000)], [1, 1, 2]);
});

suite('limiters that share a Redis', { skip }, () => {
  test('never admit more than N together: 10 rounds of 200 at once', async () => {
    const limiters = [await openShared(), await openShared()];
    for (let round = 0; round < 10; round += 1) {
      const limits = createLimits({ requests: 90, tokens: 5_000, concurrency: 37 });
      const taken = await Promise.all(
        limiters.map((limiter) => takeMany(limiter, limits, { count: 100, tokens: 10 })),
      );
      assert.equal(taken.flat().length, 37, `round ${round}`);
      for (const slot of taken.flat()) slot.end(10);
      const again = await Promise.all(
        limiters.map((limiter) => takeMany(limiter, limits, { count: 100, tokens: 10 })),
      );
      assert.equal(again.flat().length, 37);
      for (const slot of again.flat()) slot.end(10);
      const last = await Promise.all(
        limiters.map((limiter) => takeMany(limiter, limits, { count: 100, tokens: 10 })),
      );
      assert.equal(last.flat().length, 90 - 2 * 37);
    }
  });

  test('what one ends is free for the other', async () => {
    const [one, other] = [await openShared(), await openShared()];
    const limits = createLimits({ concurrency: 1 });
    const [slot] = await takeMany(one, limits, { count: 1 });
    assert.equal((await takeMany(other, limits, { count: 1 })).length, 0);
    slot?.end(0);
    await until('a place is free', async () => (await takeMany(other, limits, { count: 1 })).length === 1);
  });
});

suite('a Redis that becomes unavailable', { skip }, () => {
  test('a slot that Redis lost is taken again as long as its request runs', async (context) => {
    assert.ok(redis);
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { evaluate } = await redis.connect();
    const limiter = await openShared();
    const limits = createLimits({ concurrency: 1 });
    const { slot } = await limiter.take(limits, 1);
    await evaluate?.(
      `return redis.call('DEL', KEYS[1])`,
      limits.map(({ counter }) => counter),
      [],
    );
    context.mock.timers.tick(10_000);
    await until('it is taken again', async () => (await usedOf(limiter, limits))[0] === 1);
    assert.equal((await limiter.take(limits, 1)).slot, undefined);
    slot?.end(0);
    assert.ok((await limiter.take(limits, 1)).slot);
  });

  test('without Redis no request fails, each process applies the limit by itself, and the operator is warned once', async () => {
    await using own = await startRedis();
    assert.ok(own);
    const reported: string[] = [];
    const log = { ...silentLog, warn: (_: unknown, text: string) => void reported.push(text) };
    const limiter = createLimiter({ clock: systemClock, log, keyValue: await own.connect() });
    const limits = createLimits({ requests: 10, concurrency: 8 });
    const before = await takeMany(limiter, limits, { count: 3 });
    assert.equal(before.length, 3);
    await own.stop();
    const during = await takeMany(limiter, limits, { count: 50 });
    assert.equal(during.length, 5, 'requests admitted before the outage count');
    for (const slot of during) slot.end(0);
    assert.equal((await takeMany(limiter, limits, { count: 50 })).length, 2);
    assert.deepEqual(reported, ['Redis does not answer; each process now counts rate limits on its own']);
    await own.start();
    await until('counting starts again', async () => (await limiter.look(limits))[0]?.used === 0);
    assert.equal((await takeMany(limiter, limits, { count: 4 })).length, 4);
  });

  test('a hanging Redis delays a request no longer than its deadline', async () => {
    await using own = await startRedis();
    assert.ok(own);
    const limiter = createLimiter({ clock: systemClock, log: silentLog, keyValue: await own.connect(20) });
    const limits = createLimits({ requests: 3 });
    own.signal('SIGSTOP');
    const startedMs = performance.now();
    assert.equal((await takeMany(limiter, limits, { count: 100 })).length, 3);
    assert.ok(performance.now() - startedMs < 20 + SLOWNESS_MS);
    own.signal('SIGCONT');
  });
});
