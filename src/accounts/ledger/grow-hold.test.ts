import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import { growHold } from './grow-hold.ts';
import type { ReserveOutcome } from './wire.ts';

test('growth that other holds block is tried again every 100 ms for three seconds, then refused', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const blocked = {
    status: 'blocked',
    kind: 'key',
    limit: 3n,
    used: 1n,
    held: 2n,
  } as const satisfies ReserveOutcome;
  let [tries, reports] = [0, 0];
  const growing = growHold(
    { requestId: 'req_1', amount: 2n, leastAmount: 1n },
    {
      tryGrow: () => Promise.resolve(((tries += 1), blocked)),
      onBlocked: () => (reports += 1),
    },
  ).catch((error: unknown) => error);
  const pass = async (ms: number): Promise<number> => {
    context.mock.timers.tick(ms);
    await new Promise(setImmediate);
    return tries;
  };
  assert.deepEqual([await pass(0), await pass(99), await pass(1)], [1, 1, 2]);
  for (let count = 3; count <= 30; count += 1) assert.equal(await pass(100), count);
  const refusal = await growing;
  assert.ok(refusal instanceof GatewayError);
  assert.equal(await pass(100), 30);
  assert.equal(reports, 29);
});
