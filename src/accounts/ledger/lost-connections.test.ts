import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { Accounts } from '#accounts';
import { Journal, inspectJournal, openDatabase } from '#storage';
import { silentLog } from '#telemetry';
import { type DatabaseLine, openDatabaseLine } from '../../../test/support/database-line.ts';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { kindOf } from './store/store-codec.ts';

let opened: AsyncDisposableStack;
let fresh: FreshAccounts;
let line: DatabaseLine;
let folder: string;
let accounts: Accounts;
let serial = 0;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  const temporary = opened.adopt(createTemporaryFolder(), ({ remove }) => remove());
  folder = join(temporary.path, 'journal');
  fresh = opened.use(await openFreshAccounts());
  const { connection } = fresh.fresh;
  assert.ok('host' in connection, 'on the embedded server');
  const { host, port, user, password, database: name } = connection;
  line = opened.use(await openDatabaseLine(join(host, `.s.PGSQL.${port}`)));
  const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${line.port}/${name}`;
  const database = opened.adopt(openDatabase({ connection: { url }, applicationName: 'lost' }), (one) =>
    one.close(),
  );
  const journal = new Journal({ folder, installation: 'test', log: silentLog });
  await journal.open();
  opened.defer(() => journal.close());
  accounts = await fresh.join({ database, journal });
});
afterEach(() => opened.disposeAsync());

async function reserve(): Promise<string> {
  const requestId = `req_lost_${(serial += 1)}`;
  const row = createRow(fresh.caller, requestId, { finishReason: 'gateway_error', status: 500 });
  await accounts.ledger.reserve({ requestId, caller: fresh.caller, amount: 100n, row });
  return requestId;
}

async function settle(requestId: string): Promise<string> {
  const row = createRow(fresh.caller, requestId);
  await accounts.ledger.settle({ requestId, customer: 42n, provider: 7n, estimated: false, row });
  return requestId;
}

const use = async (): Promise<string> => settle(await reserve());

async function hasLease(): Promise<boolean> {
  const { rows } = await fresh.database.query({ text: 'SELECT FROM hold WHERE lease AND amount > 0' });
  return rows.length > 0;
}

async function countBooked(requestIds: readonly string[]): Promise<number> {
  const text = "SELECT FROM ledger_entry WHERE request_id = ANY ($1) AND kind = 'usage'";
  return (await fresh.database.query({ text, values: [requestIds] })).rows.length;
}

const WAYS: [string, () => void][] = [
  ['are lost without a sign', () => line.lose()],
  ['stand still for a second', () => line.hold()],
  ['are refused for a second', () => line.cut()],
];

for (const [what, harm] of WAYS) {
  test(`when the database’s connections ${what}, nothing on a lease waits after it is back`, async () => {
    await until('there is a lease', async () => {
      await Promise.all(Array.from({ length: 8 }, use));
      return hasLease();
    });
    const [open, late] = [await reserve(), await reserve()];
    await until('it has a hold of its own', async () => {
      const text = 'SELECT FROM hold WHERE request_id = $1';
      return (await fresh.database.query({ text, values: [late] })).rows.length > 0;
    });
    harm();
    const more = Array.from({ length: 4 }, () => use().catch(() => open)); // the lease may not cover them
    const used = [...new Set(await Promise.all([settle(open), settle(late), ...more]))];
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    line.mend();
    await until('all is booked', async () => (await countBooked(used)) === used.length);
    await until('requests are admitted', () =>
      use().then(
        () => true,
        () => false,
      ),
    );
    await until('nothing waits in the journal', async () => {
      const { records } = await inspectJournal(folder);
      return records.every((text) => kindOf(text) === 'owner');
    });
    await until('the lease is returned', async () => !(await hasLease()));
    assert.deepEqual(await fresh.accounts.ledger.check(), []);
  });
}
