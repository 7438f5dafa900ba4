import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { until } from '../../../test/support/until.ts';

const fresh = shareOpened(() => openFreshAccounts());
const testLedger = new TestLedger(fresh);

const grow = (requestId: string, amount: bigint, leastAmount = amount): Promise<bigint> =>
  fresh.accounts.ledger.grow({ requestId, amount, leastAmount });

test('a hold grows on every meter, and settling returns what it did not use', async () => {
  const caller = await testLedger.createCaller(1_000n);
  const { requestId } = await testLedger.reserve(caller, 100n);
  assert.equal(await grow(requestId, 300n), 400n);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: '1000', used: '0', held: '400' });
  assert.deepEqual(await testLedger.readMeter('credits', caller), { lim: null, used: '0', held: '400' });
  await testLedger.settle(caller, requestId, 350n);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: '1000', used: '350', held: '0' });
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('growth takes what is left if that is enough, and is refused beyond the limit', async () => {
  const caller = await testLedger.createCaller(1_000n);
  const { requestId } = await testLedger.reserve(caller, 900n);
  assert.equal(await grow(requestId, 300n, 50n), 1_000n);
  await assert.rejects(grow(requestId, 1n), {
    code: 'key_limit_reached',
    message: /limit of 0.000000001 USD and .*: 0.000000001 USD is left, and .* up to 0.000000001001 USD/,
  });
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: '1000', used: '0', held: '1000' });
});

test('growth waits while only other holds are in the way', async () => {
  const caller = await testLedger.createCaller(1_000n);
  const first = await testLedger.reserve(caller, 500n);
  const second = await testLedger.reserve(caller, 500n);
  const growing = grow(first.requestId, 300n);
  await testLedger.settle(caller, second.requestId, 200n);
  assert.equal(await growing, 800n);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: '1000', used: '200', held: '800' });
});

test('a hold that is settled, unknown or of another process does not grow', async () => {
  const caller = await testLedger.createCaller(1_000n);
  const { requestId } = await testLedger.reserve(caller, 100n);
  await testLedger.settle(caller, requestId, 10n);
  const isClosed = { code: 'internal_error', message: /internal error/ };
  await assert.rejects(grow(requestId, 1n), isClosed);
  await assert.rejects(grow('req_unknown', 1n), isClosed);
  const other = await testLedger.reserve(caller, 100n);
  await fresh.database.query({
    text: 'UPDATE hold SET owner_epoch = 0 WHERE request_id = $1',
    values: [other.requestId],
  });
  await assert.rejects(grow(other.requestId, 1n), isClosed);
});

test('many holds of one key grow at once and never beyond its limit', async () => {
  const caller = await testLedger.createCaller(1_000n);
  const holds = await Promise.all(Array.from({ length: 10 }, () => testLedger.reserve(caller, 50n)));
  let ended = 0;
  const grown = holds.map(async ({ requestId }) => {
    await grow(requestId, 100n).catch(() => undefined);
    await testLedger.settle(caller, requestId, 50n);
    ended += 1;
  });
  await until('every hold settled', async () => {
    const meter = await testLedger.readMeter('key', caller);
    assert.ok(Number(meter?.used) + Number(meter?.held) <= 1_000);
    return ended === holds.length;
  });
  await Promise.all(grown);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: '1000', used: '500', held: '0' });
});
