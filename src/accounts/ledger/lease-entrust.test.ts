import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Journal } from '#storage';
import { silentLog } from '#telemetry';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';

test('a request on a lease that becomes a job gets a hold of its own, which belongs to no process', async () => {
  using folder = createTemporaryFolder();
  await using fresh = await openFreshAccounts();
  const { caller, database } = fresh;
  const journal = new Journal({ folder: folder.path, installation: 'test', log: silentLog });
  await journal.open();
  const { ledger } = await fresh.join({ journal });
  const reserve = async (requestId: string): Promise<void> => {
    await ledger.reserve({ requestId, caller, amount: 100n, row: createRow(caller, requestId) });
  };
  const hasHold = async (requestId: string): Promise<boolean> => {
    const text = 'SELECT owner_epoch = 0 AS of_job FROM hold WHERE request_id = $1';
    return (
      (await database.query<{ of_job: boolean }>({ text, values: [requestId] })).rows[0]?.of_job === true
    );
  };
  let serial = 0;
  await until('the key is served from a lease', async () => {
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const requestId = `req_${(serial += 1)}`;
        await reserve(requestId);
        await ledger.settle({
          requestId,
          customer: 1n,
          provider: 1n,
          estimated: false,
          row: createRow(caller, requestId),
        });
      }),
    );
    return (await database.query({ text: 'SELECT FROM hold WHERE lease' })).rows.length > 0;
  });
  await reserve('req_job');
  await database.transaction((client) => ledger.entrust(client, 'req_job'));
  assert.equal(await hasHold('req_job'), true);
  await journal.close();
});
