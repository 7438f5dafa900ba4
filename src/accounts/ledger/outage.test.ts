import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { isStoreUnavailable } from '../../../test/support/catch-refusal.ts';
import type { Accounts } from '#accounts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { type FaultyDatabase, createFaultyDatabase } from '../../../test/support/faulty-database.ts';
import { until } from '../../../test/support/until.ts';

const fresh = shareOpened(() => openFreshAccounts());
let faulty: FaultyDatabase;
let accounts: Accounts;
let serial = 0;

before(async () => {
  faulty = createFaultyDatabase(await fresh.fresh.connect());
  accounts = await fresh.join({ database: faulty.database });
});
beforeEach(() => {
  faulty.state = 'up';
  faulty.faults = Infinity;
});

const nextId = (): string => `req_${(serial += 1)}`;
const reserve = (requestId: string) =>
  accounts.ledger.reserve({
    requestId,
    caller: fresh.caller,
    amount: 100n,
    row: createRow(fresh.caller, requestId),
  });
const settle = (requestId: string, customer = 40n) =>
  accounts.ledger.settle({
    requestId,
    customer,
    provider: 0n,
    estimated: false,
    row: createRow(fresh.caller, requestId),
  });

async function readHolds(): Promise<string[]> {
  const { rows } = await fresh.database.query<{ request_id: string }>({
    text: 'SELECT request_id FROM hold',
  });
  return rows.map((row) => row.request_id);
}

test('while the store is down nothing is admitted, and the caller learns when to come back', async () => {
  faulty.state = 'down';
  await assert.rejects(reserve(nextId()), isStoreUnavailable);
  faulty.state = 'up';
  assert.deepEqual(await readHolds(), []);
});

test('a reserve whose answer was lost is sent again and is one hold', async () => {
  faulty.state = 'silent';
  faulty.faults = 1;
  const { requestId, amount } = await reserve(nextId());
  assert.equal(amount, 100n);
  assert.deepEqual(await readHolds(), [requestId]);
  await settle(requestId);
});

test('a hold written for a request that was refused meanwhile is released', async () => {
  const requestId = nextId();
  faulty.state = 'silent';
  await assert.rejects(reserve(requestId), isStoreUnavailable);
  assert.deepEqual(await readHolds(), [requestId]);
  faulty.state = 'up';
  await until('the hold is released', async () => (await readHolds()).length === 0);
  assert.deepEqual(await accounts.ledger.check(), []);
});

test('a request that is admitted after a refusal keeps its hold', async () => {
  const [again, lost] = [nextId(), nextId()];
  faulty.state = 'down';
  await assert.rejects(reserve(again), isStoreUnavailable);
  faulty.state = 'up';
  await reserve(again);
  faulty.state = 'silent';
  await assert.rejects(reserve(lost), isStoreUnavailable);
  faulty.state = 'up';
  await until('refused requests are released', async () => !(await readHolds()).includes(lost));
  assert.deepEqual(await readHolds(), [again]);
  await settle(again);
});

test('a settlement whose answer was lost is booked once', async () => {
  const { requestId } = await reserve(nextId());
  faulty.state = 'silent';
  faulty.faults = 1;
  await settle(requestId);
  assert.deepEqual(await readHolds(), []);
  assert.deepEqual(await accounts.ledger.check(), []);
});

test('a settlement that finds the store down is refused to its caller and still booked when the store is back', async () => {
  const { requestId } = await reserve(nextId());
  faulty.state = 'down';
  await assert.rejects(settle(requestId, 33n), isStoreUnavailable);
  faulty.state = 'up';
  await until('the settlement is written', async () => (await readHolds()).length === 0);
  const { rows } = await fresh.database.query({
    text: 'SELECT customer::text FROM ledger_entry WHERE request_id = $1',
    values: [requestId],
  });
  assert.deepEqual(rows, [{ customer: '33' }]);
  assert.deepEqual(await accounts.ledger.check(), []);
});

test('of two settlements of one request the first counts, also when only the second finds the store up', async () => {
  const { requestId } = await reserve(nextId());
  faulty.state = 'down';
  await assert.rejects(settle(requestId, 33n), isStoreUnavailable);
  faulty.state = 'up';
  await settle(requestId, 0n);
  const { rows } = await fresh.database.query({
    text: 'SELECT customer::text FROM ledger_entry WHERE request_id = $1',
    values: [requestId],
  });
  assert.deepEqual(rows, [{ customer: '33' }]);
});

test('progress whose beat did not arrive goes with the next one', async () => {
  const requestId = nextId();
  await reserve(requestId);
  const row = createRow(fresh.caller, requestId);
  faulty.state = 'down';
  faulty.faults = 1;
  accounts.ledger.recordProgress(requestId, { customer: 30n, provider: 20n, row });
  await until('the progress is in the store', async () => {
    const text = 'SELECT 1 FROM owner WHERE delivered::jsonb ? $1';
    return (await fresh.database.query({ text, values: [requestId] })).rows.length === 1;
  });
  assert.equal(faulty.faults, 0, 'the first beat failed');
  await settle(requestId);
});
