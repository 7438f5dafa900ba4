import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, Journal, type Statement } from '#storage';
import { silentLog } from '#telemetry';
import { createFaultyDatabase } from '../../../test/support/faulty-database.ts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';

/** A process whose key is busy enough to be served from a lease. */
async function openBusy(context: TestContext, limit?: bigint) {
  const folder = createTemporaryFolder();
  const fresh = await openFreshAccounts(limit === undefined ? {} : { limit });
  const { caller, database } = fresh;
  const journal = new Journal({ folder: folder.path, installation: 'test', log: silentLog });
  await journal.open();
  context.after(async () => {
    await fresh[Symbol.asyncDispose]();
    await journal.close();
    folder.remove();
  });
  const faulty = createFaultyDatabase(await fresh.fresh.connect());
  const accounts = await fresh.join({ database: faulty.database, journal });
  const { ledger } = accounts;
  const reserve = async (requestId: string): Promise<void> => {
    await ledger.reserve({ requestId, caller, amount: 100n, row: createRow(caller, requestId) });
  };
  const settle = async (requestId: string, customer = 1n): Promise<void> => {
    const row = createRow(caller, requestId);
    await ledger.settle({ requestId, customer, provider: 1n, estimated: false, row });
  };
  let serial = 0;
  await until('the key is served from a lease', async () => {
    const requests = Array.from({ length: 8 }, () => `req_${(serial += 1)}`);
    await Promise.all(requests.map((requestId) => reserve(requestId).then(() => settle(requestId))));
    return (await database.query({ text: 'SELECT FROM hold WHERE lease' })).rows.length > 0;
  });
  return { fresh, faulty, accounts, ledger, reserve, settle, spent: BigInt(serial) };
}

test('a request on a lease that becomes a job gets a hold of its own, which belongs to no process', async (context) => {
  const { fresh, ledger, reserve } = await openBusy(context);
  await reserve('req_job');
  await fresh.database.transaction((client) => ledger.transferHold(client, 'req_job'));
  const text = `SELECT owner_epoch::int AS owner FROM hold WHERE request_id = 'req_job'`;
  assert.deepEqual((await fresh.database.query({ text })).rows, [{ owner: 0 }]);
});

test('the status of a key without a process that has stopped reporting is not current', async (context) => {
  const { fresh, faulty } = await openBusy(context);
  faulty.state = 'down';
  const status = await fresh.accounts.findKeyStatus(fresh.caller);
  assert.deepEqual([status.isCurrent, typeof status.usage], [false, 'string']);
});

test('a limit is lowered below what is used: an open request keeps and pays what it holds, grows no more, and is the last', async (context) => {
  const { fresh, ledger, reserve, settle } = await openBusy(context);
  const { database, caller } = fresh;
  await reserve('req_open');
  await fresh.accounts.directory.updateKey(caller.keyId, { limit: 1n });
  const leases = 'SELECT FROM hold WHERE lease';
  await until('its lease is gone', async () => (await database.query({ text: leases })).rows.length === 0);
  const growing = ledger.grow({ requestId: 'req_open', amount: 50n, leastAmount: 1n });
  await assert.rejects(growing, { code: 'key_limit_reached' });
  await assert.rejects(reserve('req_next'), { code: 'key_limit_reached' });
  await settle('req_open', 100n);
  await ledger.catchUp(caller);
  const text = `SELECT customer::int AS paid FROM ledger_entry WHERE request_id = 'req_open'`;
  assert.deepEqual((await database.query({ text })).rows, [{ paid: 100 }]);
  assert.deepEqual(await ledger.check(), []);
});

test('the log row of a request on a lease has a position, by which exports and streams find it', async (context) => {
  const { fresh, ledger, reserve, settle } = await openBusy(context);
  await reserve('req_leased');
  await settle('req_leased');
  await ledger.catchUp(fresh.caller);
  const text = `SELECT position > 0 AS found FROM request_log WHERE request_id = 'req_leased'`;
  assert.deepEqual((await fresh.database.query({ text })).rows, [{ found: true }]);
});

test('a process that waits for money in another one’s lease is notified when it is returned', async (context) => {
  const { fresh, spent } = await openBusy(context, 1_000_000n);
  const { caller, database } = fresh;
  const other = await fresh.join({ database: await fresh.fresh.connect() });
  const heard: string[] = [];
  const channel = await database.listen(
    'sluice_accounts',
    (message) => heard.push(message),
    () => undefined,
  );
  const rest = { requestId: 'req_rest', caller, amount: 1_000_000n - spent };
  await other.ledger.reserve({ ...rest, row: createRow(caller, 'req_rest') });
  await until('the return is announced', () => heard.includes(`lease returned key ${caller.keyId}`));
  await channel.close();
});

test('a process that closes waits until it has left the database', async () => {
  await using fresh = await openFreshAccounts();
  const real = await fresh.fresh.connect();
  const [leaving, left] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const query: Database['query'] = async <Row>(statement: Statement) => {
    const result = await real.query<Row>(statement);
    if (!statement.text.includes('DELETE FROM owner')) return result;
    leaving.resolve(undefined);
    await left.promise;
    return result;
  };
  const accounts = await fresh.join({ database: { ...real, query } });
  let isClosed = false;
  const closing = accounts.close().then(() => (isClosed = true));
  await leaving.promise;
  for (let times = 0; times < 50; times += 1) await fresh.database.query({ text: 'SELECT 1' });
  assert.equal(isClosed, false);
  left.resolve(undefined);
  await closing;
});

test('what counted as lost of a process that was taken for dead is found when it ends with everything written', async (context) => {
  const { fresh, accounts, ledger, reserve, settle } = await openBusy(context);
  const { database } = fresh;
  await reserve('req_paused');
  await database.query({ text: `UPDATE owner SET heartbeat_at = 'epoch'` });
  await fresh.accounts.ledger.sweep();
  assert.notEqual(await ledger.sumLost(), 0n);
  await settle('req_paused', 42n);
  await accounts.close();
  assert.equal(await fresh.accounts.ledger.sumLost(), 0n);
  const text = `SELECT sum(customer)::int AS paid FROM ledger_entry WHERE request_id = 'req_paused'`;
  assert.deepEqual((await database.query({ text })).rows, [{ paid: 42 }]);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});
