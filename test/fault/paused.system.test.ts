import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRow, openFreshAccounts } from '../support/fresh-accounts.ts';
import { LedgerProcess } from '../support/ledger-process.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const LIMIT = 1_000_000n;
const AMOUNT = 1_000n;
const OPEN = 8;
/** Until the leases of a process that is not heard of end, and the request that waits for them is tried again. */
const PATIENCE_MS = 120_000;

test('a process that is paused with requests on a lease, while another spends all of the budget, overspends nothing', async () => {
  using folder = createTemporaryFolder();
  await using fresh = await openFreshAccounts({ limit: LIMIT, admissionWaitMs: PATIENCE_MS });
  const { caller, database, accounts } = fresh;
  const { ledger } = accounts;
  const readUsed = async (): Promise<bigint> => {
    const { rows } = await database.query<{ used: string }>({
      text: `SELECT used::text FROM meter WHERE kind = 'key'`,
    });
    return BigInt(rows[0]?.used ?? 0);
  };
  await using paused = await LedgerProcess.start({
    connection: fresh.fresh.connection,
    folder: `${folder.path}/journal`,
  });
  const spending = { caller, amount: AMOUNT, cost: 1n };
  await until('there is a lease', async () => {
    await paused.run({ t: 'use', spending, count: 20 });
    return (await database.query({ text: 'SELECT FROM hold WHERE lease' })).rows.length > 0;
  });
  const ending = paused.run({
    t: 'use',
    spending: { caller, amount: AMOUNT, cost: AMOUNT, durationMs: 400 },
    count: OPEN,
  });
  await sleep(30);
  paused.pause();
  const rest = { requestId: 'rest', row: createRow(caller, 'rest') };
  const amount = LIMIT - (await readUsed());
  await ledger.reserve({ ...rest, caller, amount });
  await ledger.settle({ ...rest, customer: amount, provider: amount, estimated: false });
  paused.resume();
  assert.equal((await ending).served, OPEN);
  const readEnded = async (): Promise<number> =>
    (await database.query({ text: `SELECT FROM request_log WHERE provider_cost = ${AMOUNT}` })).rows.length;
  await until('what it settled is written', async () => (await readEnded()) === OPEN);
  assert.equal(await readUsed(), LIMIT);
  assert.deepEqual(await ledger.check(), []);
});
