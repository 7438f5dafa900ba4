import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Caller } from '#accounts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';

const fresh = shareOpened(() => openFreshAccounts());
const testLedger = new TestLedger(fresh);
let caller: Caller;

beforeEach(async () => (caller = await testLedger.createCaller()));

const isClean = async (): Promise<void> => assert.deepEqual(await fresh.accounts.ledger.check(), []);

test('a hold is put aside on the key and on the organization, and settling turns it into use', async () => {
  const hold = await testLedger.reserve(caller, 100n);
  assert.equal(hold.amount, 100n);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: null, used: '0', held: '100' });
  assert.deepEqual(await testLedger.readMeter('credits', caller), { lim: null, used: '0', held: '100' });
  await testLedger.settle(caller, hold.requestId, 60n);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: null, used: '60', held: '0' });
  assert.deepEqual(await testLedger.readMeter('credits', caller), { lim: null, used: '60', held: '0' });
  await isClean();
});

test('the same reserve sent again is one hold; a settled request gets none', async () => {
  const id = testLedger.nextId();
  assert.equal((await testLedger.reserve(caller, 100n, { id })).amount, 100n);
  assert.equal((await testLedger.reserve(caller, 100n, { id })).amount, 100n);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: null, used: '0', held: '100' });
  await testLedger.settle(caller, id, 10n);
  await assert.rejects(testLedger.reserve(caller, 100n, { id }), { code: 'internal_error' });
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: null, used: '10', held: '0' });
});

test('settling twice changes nothing, at once or later', async () => {
  const { requestId } = await testLedger.reserve(caller, 100n);
  await Promise.all([testLedger.settle(caller, requestId, 40n), testLedger.settle(caller, requestId, 70n)]);
  await testLedger.settle(caller, requestId, 90n);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: null, used: '40', held: '0' });
  await isClean();
});

test('a settlement whose hold is unknown is booked all the same', async () => {
  const requestId = testLedger.nextId();
  await testLedger.settle(caller, requestId, 40n);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: null, used: '40', held: '0' });
  await isClean();
});

test('a negative cost credits no account and is marked as estimated', async () => {
  const { requestId } = await testLedger.reserve(caller, 100n);
  await testLedger.settle(caller, requestId, -40n);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: null, used: '0', held: '0' });
  const { rows } = await fresh.database.query<{ estimated: boolean }>({
    text: 'SELECT estimated FROM request_log WHERE request_id = $1',
    values: [requestId],
  });
  assert.deepEqual(rows, [{ estimated: true }]);
});

test('poisoned rows are stored cleaned or in outline, and never cost their neighbours a settlement', async () => {
  const poisons: Record<string, unknown>[] = [
    { userAgent: 'a\u0000b\ud800c' },
    { finishReason: 'nonsense' },
    { status: 1e12 },
    { startedAt: 'yesterday' },
    { usage: { inputUncached: 'many' } },
    { errorMessage: 'x'.repeat(100_000) },
  ];
  const holds = await Promise.all(poisons.map(() => testLedger.reserve(caller, 10n)));
  await Promise.all(
    holds.map(({ requestId }, index) =>
      fresh.accounts.ledger.settle({
        requestId,
        customer: 5n,
        provider: 1n,
        estimated: false,
        row: { ...createRow(caller, requestId), ...poisons[index] },
      }),
    ),
  );
  const { rows } = await fresh.database.query<{
    user_agent: string | null;
    error_code: string | null;
    customer_cost: string;
  }>({
    text: 'SELECT user_agent, error_code, customer_cost::text FROM request_log WHERE request_id = ANY ($1) ORDER BY length(request_id), request_id',
    values: [holds.map((hold) => hold.requestId)],
  });
  const outline = { user_agent: null, error_code: 'internal_error', customer_cost: '5' };
  assert.deepEqual(rows, [
    { user_agent: 'a\uFFFDb\uFFFDc', error_code: null, customer_cost: '5' },
    outline,
    outline,
    outline,
    outline,
    { user_agent: null, error_code: null, customer_cost: '5' },
  ]);
  assert.deepEqual(await testLedger.readMeter('key', caller), { lim: null, used: '30', held: '0' });
  await isClean();
});

test('a request without a hold leaves one row at cost 0, whatever its row says', async () => {
  const requestId = testLedger.nextId();
  const row = createRow(caller, requestId, { finishReason: 'client_error', customer: '77' });
  await fresh.accounts.ledger.record(row);
  await fresh.accounts.ledger.record({ ...row, finishReason: 'gateway_error' });
  const { rows } = await fresh.database.query<{ finish_reason: string; customer_cost: string }>({
    text: 'SELECT finish_reason, customer_cost::text FROM request_log WHERE request_id = $1',
    values: [requestId],
  });
  assert.deepEqual(rows, [{ finish_reason: 'client_error', customer_cost: '0' }]);
  await isClean();
});

test('a request of a key that does not exist fails alone', async () => {
  const ghost = { ...caller, keyId: 'key_ghost' };
  const [good, bad] = await Promise.allSettled([
    testLedger.reserve(caller, 10n),
    testLedger.reserve(ghost, 10n),
  ]);
  assert.equal(good.status, 'fulfilled');
  assert.equal(bad.status, 'rejected');
  await testLedger.settle(
    caller,
    (good as PromiseFulfilledResult<{ requestId: string }>).value.requestId,
    0n,
  );
});

test('entries of the ledger can be neither changed nor removed', async () => {
  await testLedger.settle(caller, (await testLedger.reserve(caller, 10n)).requestId, 10n);
  for (const text of [
    'UPDATE ledger_entry SET customer = 0',
    'DELETE FROM ledger_entry',
    'TRUNCATE ledger_entry',
  ]) {
    await assert.rejects(fresh.database.query({ text }), text);
  }
});
