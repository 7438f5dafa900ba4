import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { GatewayError } from '#errors';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { retryGrowth } from './retry-growth.ts';
import { createRefusal } from './refusal.ts';
import { ReleaseWaits } from './release-waits.ts';
import type { ReserveOutcome } from '../store/store-codec.ts';

const BLOCKED = { status: 'blocked', kind: 'key', limit: 3n, used: 1n, held: 2n } satisfies ReserveOutcome;

/** Growth of a hold that stays blocked until `free` is called. */
function startGrowing(context: TestContext, isUrgent = false) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = new TestClock();
  const waits = new ReleaseWaits();
  let [tries, isFree] = [0, false];
  const growing = retryGrowth(
    { requestId: 'req_1', amount: 2n, leastAmount: 1n, ...(isUrgent && { isUrgent }) },
    {
      clock,
      explain: async (meter, missing) => createRefusal(meter, { missing }),
      tryGrow: async () => ((tries += 1), isFree ? { status: 'ok', amount: 2n } : BLOCKED),
      awaitRelease: (_, mostMs) => waits.wait('key k', mostMs),
    },
  ).catch((error: unknown) => error);
  const settle = async (): Promise<number> => {
    await new Promise(setImmediate);
    return tries;
  };
  const pass = async (ms: number): Promise<number> => {
    clock.advance(ms);
    context.mock.timers.tick(ms);
    return await settle();
  };
  return { growing, waits, pass, settle, free: () => (isFree = true) };
}

test('growth that other holds block is tried again every 100 ms for three seconds, then refused', async (context) => {
  const { growing, pass } = startGrowing(context);
  assert.deepEqual([await pass(0), await pass(99), await pass(1)], [1, 1, 2]);
  for (let count = 3; count <= 31; count += 1) assert.equal(await pass(100), count);
  assert.ok((await growing) instanceof GatewayError);
  assert.equal(await pass(100), 31);
});

test('growth of a stream that is in a hurry is tried twice', async (context) => {
  const { growing, pass } = startGrowing(context, true);
  assert.deepEqual([await pass(0), await pass(100)], [1, 2]);
  assert.ok((await growing) instanceof GatewayError);
});

test('growth is tried as soon as money of its name is released', async (context) => {
  const { growing, waits, settle, free } = startGrowing(context);
  assert.equal(await settle(), 1);
  assert.equal(waits.isAwaited, true);
  waits.wake(['key another', 'organization k']);
  assert.equal(await settle(), 1);
  free();
  waits.wake(['organization o', 'key k']);
  assert.equal(await growing, 2n);
  assert.equal(waits.isAwaited, false);
});

test('when the gateway stops, growth gets its last answer at once, and none waits any more', async (context) => {
  const { growing, waits, settle } = startGrowing(context);
  assert.equal(await settle(), 1);
  waits.stop();
  assert.ok((await growing) instanceof GatewayError);
  assert.equal(await settle(), 2);
  assert.equal(await waits.wait('key k', 100), false);
});
