import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ledger } from '#accounts';
import { createUsage } from '#canonical';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { until } from '../../../test/support/until.ts';

let fresh: FreshAccounts;
let serial = 0;

before(async () => (fresh = await openFreshAccounts()));
after(() => fresh[Symbol.asyncDispose]());

/** A hold of a crashed process: it sends no heartbeat again. */
async function leaveOrphan(ledger: Ledger = fresh.accounts.ledger): Promise<string> {
  const requestId = `req_${(serial += 1)}`;
  await ledger.reserve({
    requestId,
    caller: fresh.caller,
    amount: 100n,
    row: createRow(fresh.caller, requestId, { finishReason: 'gateway_error', status: 500 }),
  });
  return requestId;
}

async function age(requestId: string): Promise<void> {
  await fresh.database.query({
    text: `UPDATE owner SET heartbeat_at = now() - interval '31 seconds'
           WHERE epoch = (SELECT owner_epoch FROM hold WHERE request_id = $1)`,
    values: [requestId],
  });
}

async function readEnd(requestId: string) {
  const { rows: entries } = await fresh.database.query({
    text: 'SELECT kind, customer::text, provider::text FROM ledger_entry WHERE request_id = $1 ORDER BY kind DESC',
    values: [requestId],
  });
  const { rows } = await fresh.database.query({
    text: 'SELECT finish_reason, estimated, customer_cost::text, provider_cost::text, output_text::int FROM request_log WHERE request_id = $1',
    values: [requestId],
  });
  return { entries, rows };
}

test('the hold of a dead process is closed with one row, at no cost when nothing was delivered', async () => {
  const requestId = await leaveOrphan();
  await age(requestId);
  const sweeper = await fresh.join();
  assert.deepEqual(await readEnd(requestId), {
    entries: [{ kind: 'estimate', customer: '0', provider: '0' }],
    rows: [
      {
        finish_reason: 'gateway_error',
        estimated: true,
        customer_cost: '0',
        provider_cost: '0',
        output_text: 5,
      },
    ],
  });
  assert.equal(await sweeper.ledger.sweep(), 0);
  assert.deepEqual(await sweeper.ledger.check(), []);
});

test('what was delivered before the death is charged from the last progress that was shipped', async () => {
  const requestId = await leaveOrphan();
  const row = createRow(fresh.caller, requestId, { finishReason: 'gateway_error' });
  fresh.accounts.ledger.noteProgress(requestId, { customer: 10n, provider: 5n, row });
  fresh.accounts.ledger.noteProgress(requestId, {
    customer: 30n,
    provider: 20n,
    row: createRow(fresh.caller, requestId, {
      finishReason: 'gateway_error',
      usage: createUsage({ outputText: 77 }),
    }),
  });
  const isShipped = async (): Promise<boolean> => {
    const text = 'SELECT 1 FROM hold WHERE request_id = $1 AND progress IS NOT NULL';
    return (await fresh.database.query({ text, values: [requestId] })).rows.length === 1;
  };
  await until('the progress is shipped', isShipped);
  await age(requestId);
  const sweeper = await fresh.join();
  assert.deepEqual(await readEnd(requestId), {
    entries: [{ kind: 'estimate', customer: '30', provider: '20' }],
    rows: [
      {
        finish_reason: 'gateway_error',
        estimated: true,
        customer_cost: '30',
        provider_cost: '20',
        output_text: 77,
      },
    ],
  });
  assert.deepEqual(await sweeper.ledger.check(), []);
});

test('an owner taken for crashed corrects its estimate, once, and the row has the exact cost', async () => {
  const requestId = await leaveOrphan();
  await age(requestId);
  const sweeper = await fresh.join();
  const settle = (customer: bigint) =>
    fresh.accounts.ledger.settle({
      requestId,
      customer,
      provider: 7n,
      estimated: false,
      row: createRow(fresh.caller, requestId),
    });
  await settle(42n);
  await settle(99n);
  assert.deepEqual(await readEnd(requestId), {
    entries: [
      { kind: 'estimate', customer: '0', provider: '0' },
      { kind: 'adjust', customer: '42', provider: '7' },
    ],
    rows: [
      {
        finish_reason: 'completed',
        estimated: false,
        customer_cost: '42',
        provider_cost: '7',
        output_text: 5,
      },
    ],
  });
  assert.deepEqual(await sweeper.ledger.check(), []);
});

test('the hold of a living process is left alone, however old it is', async () => {
  const owner = await fresh.join();
  const requestId = await leaveOrphan(owner.ledger);
  await fresh.database.query({
    text: `UPDATE hold SET created_at = now() - interval '2 hours' WHERE request_id = $1`,
    values: [requestId],
  });
  const other = await fresh.join();
  assert.equal(await other.ledger.sweep(), 0);
  await owner.ledger.settle({
    requestId,
    customer: 1n,
    provider: 1n,
    estimated: false,
    row: createRow(fresh.caller, requestId),
  });
  assert.deepEqual((await readEnd(requestId)).entries, [{ kind: 'usage', customer: '1', provider: '1' }]);
});

test('a process that owns the database closes every other hold at its start', async () => {
  const owner = await fresh.join();
  const requestIds = [await leaveOrphan(owner.ledger), await leaveOrphan(owner.ledger)];
  const only = await fresh.join({ exclusive: true });
  for (const requestId of requestIds) {
    assert.deepEqual((await readEnd(requestId)).entries, [
      { kind: 'estimate', customer: '0', provider: '0' },
    ]);
  }
  assert.deepEqual(await only.ledger.check(), []);
});

test('what a process leaves open when it stops is an orphan at once', async () => {
  const owner = await fresh.join();
  const requestId = await leaveOrphan(owner.ledger);
  await owner.close();
  const other = await fresh.join();
  assert.equal((await readEnd(requestId)).rows.length, 1);
  assert.deepEqual(await other.ledger.check(), []);
});

test('a process that has stopped admits nothing more', async () => {
  const owner = await fresh.join();
  await owner.close();
  await assert.rejects(leaveOrphan(owner.ledger), { code: 'shutting_down' });
});

test('two sweepers at once close each hold once', async () => {
  const owner = await fresh.join();
  const requestIds = await Promise.all(Array.from({ length: 20 }, () => leaveOrphan(owner.ledger)));
  const others = [await fresh.join(), await fresh.join()];
  await age(requestIds[0]!);
  const closed = await Promise.all(others.map((other) => other.ledger.sweep()));
  assert.equal(closed[0]! + closed[1]!, 20);
  assert.deepEqual(await others[0]!.ledger.check(), []);
});

async function setHeartbeat(requestId: string, ago: string): Promise<void> {
  await fresh.database.query({
    text: `UPDATE owner SET heartbeat_at = now() - $2::interval
           WHERE epoch = (SELECT owner_epoch FROM hold WHERE request_id = $1)`,
    values: [requestId, ago],
  });
}

test('a clock that is set back an hour leaves no hold of a dead process behind', async () => {
  const other = await fresh.join();
  const requestId = await leaveOrphan(other.ledger);
  await setHeartbeat(requestId, '-1 hour');
  const sweeper = await fresh.join();
  assert.deepEqual((await readEnd(requestId)).rows, [], 'it might live');
  const { rows } = await fresh.database.query<{ ahead: boolean }>({
    text: `SELECT heartbeat_at > now() AS ahead FROM owner
           WHERE epoch = (SELECT owner_epoch FROM hold WHERE request_id = $1)`,
    values: [requestId],
  });
  assert.deepEqual(rows, [{ ahead: false }], 'from now on its silence counts');
  await age(requestId);
  await sweeper.ledger.sweep();
  assert.equal((await readEnd(requestId)).rows.length, 1);
});

test('a clock that is set forward a day costs a living process nothing: what it settles is what counts', async () => {
  const requestId = await leaveOrphan();
  await setHeartbeat(requestId, '1 day');
  const sweeper = await fresh.join();
  assert.equal((await readEnd(requestId)).entries.length, 1, 'it was taken for dead');
  await fresh.accounts.ledger.settle({
    requestId,
    customer: 42n,
    provider: 7n,
    estimated: false,
    row: createRow(fresh.caller, requestId),
  });
  const { rows } = await readEnd(requestId);
  assert.deepEqual(
    rows.map((row) => [row['customer_cost'], row['provider_cost'], row['estimated']]),
    [['42', '7', false]],
  );
  assert.deepEqual(await sweeper.ledger.check(), []);
});
