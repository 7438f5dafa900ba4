import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '#storage';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { compareLedger } from './check/compare-ledger.ts';

const fresh = shareOpened(() => openFreshAccounts());

before(async () => {
  const { ledger, directory } = fresh.accounts;
  await directory.addCredits({ organizationId: fresh.caller.organizationId, amount: 1_000_000n });
  for (const requestId of ['req_1', 'req_2']) {
    const row = createRow(fresh.caller, requestId);
    await ledger.reserve({ requestId, caller: fresh.caller, amount: 100n, row });
    if (requestId === 'req_1') {
      await ledger.settle({ requestId, customer: 60n, provider: 50n, estimated: false, row });
    }
  }
});

/** What the check finds after a change made past the ledger; the change is undone. */
async function findAfter(change: string, undo: string): Promise<string[]> {
  await fresh.database.query({ text: change });
  const differences = await fresh.accounts.ledger.check();
  await fresh.database.query({ text: undo });
  return differences.map(({ what, expected, actual }) => `${what}: ${expected} is not ${actual}`).sort();
}

test('a ledger in order shows no difference', async () => {
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('a changed counter is found', async () => {
  const change = (column: string, by: string) =>
    `UPDATE meter SET ${column} = ${column} ${by} WHERE kind = 'key'`;
  assert.deepEqual(await findAfter(change('used', '+ 1'), change('used', '- 1')), ['used: 60 is not 61']);
  assert.deepEqual(await findAfter(change('held', '+ 1'), change('held', '- 1')), ['held: 100 is not 101']);
});

test('credits without a grant are found', async () => {
  const change = (by: string) => `UPDATE meter SET lim = lim ${by} WHERE kind = 'credits'`;
  assert.deepEqual(await findAfter(change('+ 5'), change('- 5')), ['limit: 1000000 is not 1000005']);
});

test('an entry that no counter and no row knows is found', async () => {
  await fresh.database.query({ text: 'ALTER TABLE ledger_entry DISABLE TRIGGER USER' });
  const found = await findAfter(
    `INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
     SELECT 'req_x', 'usage', array_agg(id), 7, 7 FROM meter WHERE kind = 'key'`,
    `DELETE FROM ledger_entry WHERE request_id = 'req_x'`,
  );
  assert.deepEqual(found, [
    'meters: 1 key, 1 balance, 0 lost is not 1 key, 0 balance, 0 lost',
    'row: 7 / 7 is not none',
    'used: 67 is not 60',
  ]);
});

test('a request that was closed twice is found', async () => {
  const found = await findAfter(
    `INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider) VALUES ('req_1', 'estimate', '{}', 0, 0)`,
    `DELETE FROM ledger_entry WHERE request_id = 'req_1' AND kind = 'estimate'`,
  );
  assert.deepEqual(found, ['closings: 1 is not 2']);
});

test('a hold that outlived its request is found', async () => {
  const found = await findAfter(
    `INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row) VALUES ('req_1', 1, '{}', 3, '{}')`,
    `DELETE FROM hold WHERE request_id = 'req_1'`,
  );
  assert.deepEqual(found, ['open after its end: no hold is not 3']);
});

test('a log row with another cost, or a cost without an entry, is found', async () => {
  const change = (cost: number) =>
    `UPDATE request_log SET customer_cost = ${cost} WHERE request_id = 'req_1'`;
  assert.deepEqual(await findAfter(change(61), change(60)), ['row: 60 / 50 is not 61 / 50']);
  const found = await findAfter(
    `INSERT INTO request_log SELECT * FROM request_log_decode(jsonb_build_array((SELECT row::jsonb || '{"requestId": "req_y", "customer": "9"}' FROM hold)))`,
    `DELETE FROM request_log WHERE request_id = 'req_y'`,
  );
  assert.deepEqual(found, ['unpaid row: 0 is not 9']);
});

test('a request with two log rows is found, also where both have the same cost', async () => {
  const found = await findAfter(
    `INSERT INTO request_log SELECT (jsonb_populate_record(l, '{"started_at": "2026-01-01T00:00:00Z"}')).*
     FROM request_log l WHERE request_id = 'req_1'`,
    `DELETE FROM request_log WHERE started_at = '2026-01-01T00:00:00Z'`,
  );
  assert.deepEqual(found, ['rows: 1 is not 2']);
});

test('nothing is found once all of it is undone', async () => {
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('a check may take longer than what a request waits for', async () => {
  const { rows } = await fresh.database.query<{ text: string }>({
    text: `SELECT pg_get_functiondef('ledger_check_jobs()'::regprocedure) AS text`,
  });
  await fresh.database.query({
    text: `CREATE OR REPLACE FUNCTION ledger_check_jobs() RETURNS TABLE (what text, subject text, expected text, actual text)
      LANGUAGE sql AS $$ SELECT 'slept', pg_sleep(0.4)::text, '', '' $$`,
  });
  const { connection } = fresh.fresh;
  const impatient = openDatabase({ connection, applicationName: 'impatient', statementTimeoutMs: 200 });
  const found = await compareLedger(impatient);
  assert.deepEqual(
    found.map(({ what }) => what),
    ['slept'],
  );
  await impatient.close();
  await fresh.database.query({ text: rows[0]?.text ?? '' });
});

test('a check that fails closes all its connections, also those that it was about to open', async () => {
  await fresh.database.query({ text: 'ALTER TABLE meter RENAME TO meter_away' });
  try {
    await assert.rejects(fresh.accounts.ledger.check());
  } finally {
    await fresh.database.query({ text: 'ALTER TABLE meter_away RENAME TO meter' });
  }
  await sleep(500);
  const { rows } = await fresh.database.query<{ count: number }>({
    text: `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'sluice ledger check'`,
  });
  assert.equal(rows[0]?.count, 0);
});
