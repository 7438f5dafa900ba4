import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts, Caller } from '#accounts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { until } from '../../../test/support/until.ts';

const ROUNDS = 40;

test('two processes that settle new and old requests of the same subjects, in opposite order, never deadlock', async () => {
  await using fresh = await openFreshAccounts();
  const testLedger = new TestLedger(fresh);
  const database = await fresh.fresh.connect();
  const other = await fresh.join({ database });
  const [one, two] = [await testLedger.createCaller(), await testLedger.createCaller()];

  const open = async ({ ledger }: Accounts, caller: Caller) => {
    const requestId = testLedger.nextId();
    const row = createRow(caller, requestId);
    await ledger.reserve({ requestId, caller, amount: 5n, row });
    return () => ledger.settle({ requestId, customer: 3n, provider: 0n, estimated: false, row });
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const old = [await open(fresh.accounts, one), await open(other, two)];
    await Promise.all(old.map((settle) => settle()));
    const fresher = [await open(fresh.accounts, two), await open(other, one)];
    await Promise.all([...fresher, ...old].map((settle) => settle()));
  }
  assert.deepEqual(await other.ledger.check(), []);

  // A connection reports its deadlocks when it ends.
  const watcher = await fresh.fresh.connect();
  await Promise.all([other.close(), fresh.accounts.close()]);
  await Promise.all([database.close(), fresh.database.close()]);
  const readActivity = async () => {
    const { rows } = await watcher.query<{ connections: number; deadlocks: bigint }>({
      text: 'SELECT numbackends AS connections, deadlocks FROM pg_stat_database WHERE datname = current_database()',
    });
    return rows[0]!;
  };
  await until('all connections have ended', async () => (await readActivity()).connections <= 1);
  assert.equal((await readActivity()).deadlocks, 0n);
});
