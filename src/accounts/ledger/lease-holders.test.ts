import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Journal } from '#storage';
import { silentLog } from '#telemetry';
import { createFaultyDatabase } from '../../../test/support/faulty-database.ts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';

/** A process whose key is busy enough to be served from a lease. */
async function openBusy(context: TestContext) {
  const folder = createTemporaryFolder();
  const fresh = await openFreshAccounts();
  const { caller, database } = fresh;
  const journal = new Journal({ folder: folder.path, installation: 'test', log: silentLog });
  await journal.open();
  context.after(async () => {
    await fresh[Symbol.asyncDispose]();
    await journal.close();
    folder.remove();
  });
  const faulty = createFaultyDatabase(await fresh.fresh.connect());
  const { ledger } = await fresh.join({ database: faulty.database, journal });
  const reserve = async (requestId: string): Promise<void> => {
    await ledger.reserve({ requestId, caller, amount: 100n, row: createRow(caller, requestId) });
  };
  const settle = async (requestId: string): Promise<void> => {
    const row = createRow(caller, requestId);
    await ledger.settle({ requestId, customer: 1n, provider: 1n, estimated: false, row });
  };
  let serial = 0;
  await until('the key is served from a lease', async () => {
    const requests = Array.from({ length: 8 }, () => `req_${(serial += 1)}`);
    await Promise.all(requests.map((requestId) => reserve(requestId).then(() => settle(requestId))));
    return (await database.query({ text: 'SELECT FROM hold WHERE lease' })).rows.length > 0;
  });
  return { fresh, faulty, ledger, reserve, settle };
}

test('a request on a lease that becomes a job gets a hold of its own, which belongs to no process', async (context) => {
  const { fresh, ledger, reserve } = await openBusy(context);
  await reserve('req_job');
  await fresh.database.transaction((client) => ledger.entrust(client, 'req_job'));
  const text = `SELECT owner_epoch::int AS owner FROM hold WHERE request_id = 'req_job'`;
  assert.deepEqual((await fresh.database.query({ text })).rows, [{ owner: 0 }]);
});

test('the status of a key does not wait for a process that has stopped reporting', async (context) => {
  const { fresh, faulty } = await openBusy(context);
  faulty.state = 'down';
  const status = await fresh.accounts.findKeyStatus(fresh.caller);
  assert.notEqual(status.usage, undefined);
});
