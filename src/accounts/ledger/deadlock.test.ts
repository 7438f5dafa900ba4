import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts, Caller } from '#accounts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';

const ROUNDS = 25;

async function createCallers({ directory, identify }: Accounts): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const name of ['a', 'b', 'c']) {
    const organization = await directory.createOrganization(name);
    const project = await directory.createProject({ organizationId: organization.id, name });
    callers.push(await identify((await directory.createKey({ projectId: project.id, label: name })).secret));
  }
  // Purses in every combination, as plans and shared windows will combine them.
  return callers.flatMap((caller) => callers.map(({ organizationId }) => ({ ...caller, organizationId })));
}

test('processes that settle, settle again and reserve over crossed purses never deadlock', async () => {
  await using fresh = await openFreshAccounts({ admissionWaitMs: 5_000 });
  const database = await fresh.fresh.connect();
  const other = await fresh.join({ database });
  const callers = await createCallers(fresh.accounts);
  let serial = 0;
  const run = async (ledger: Accounts['ledger'], caller: Caller): Promise<void> => {
    const requestId = `req_${(serial += 1)}`;
    const row = createRow(caller, requestId);
    const settlement = { requestId, customer: 3n, provider: 0n, estimated: false, row };
    await ledger.reserve({ requestId, caller, amount: 5n, row });
    await ledger.settle(settlement);
    await ledger.settle(settlement);
  };
  const work = async (accounts: Accounts, caller: Caller): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) await run(accounts.ledger, caller);
  };
  await Promise.all(callers.flatMap((caller) => [work(other, caller), work(fresh.accounts, caller)]));
  assert.deepEqual(await other.ledger.check(), []);

  // A connection reports its deadlocks when it ends.
  const watcher = await fresh.fresh.connect();
  await Promise.all([other.close(), fresh.accounts.close()]);
  await Promise.all([database.close(), fresh.database.close()]);
  const { rows } = await watcher.query<{ deadlocks: bigint }>({
    text: 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  });
  assert.deepEqual(rows, [{ deadlocks: 0n }]);
});
