import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTimedIdentifier } from '#base';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { until } from '../../../test/support/until.ts';
import { LogUpkeep } from './upkeep.ts';
import { createUsageReader } from '../usage/usage.ts';

const DAY_MS = 86_400_000;
/** The second hour of a day, whose usage is moved to its first. */
const EXPIRED_AT = Math.floor(Date.now() / DAY_MS - 100) * DAY_MS + 3_600_000;
const KEPT = { maxAgeDays: 400, maxBytes: 1024 ** 4 };

const fresh = shareOpened(() => openFreshAccounts());
before(async () => {
  await execute(`SELECT log_partition_make('request_log', 'started_at', m)
    FROM generate_series(log_month(to_timestamp(${EXPIRED_AT / 1000})), now(), interval '1 month') AS m`);
  for (const startedAt of [EXPIRED_AT, EXPIRED_AT + 3_600_000, Date.now()]) await pay(startedAt);
  const database = fresh.database;
  await new LogUpkeep({ database, limits: KEPT, onFault: assert.ifError }).pass();
});

const execute = async <Row>(text: string): Promise<Row[]> => (await fresh.database.query<Row>({ text })).rows;

async function pay(startedAt: number): Promise<void> {
  const requestId = createTimedIdentifier('req', startedAt);
  const row = createRow(fresh.caller, requestId, { startedAt });
  const { ledger } = fresh.accounts;
  await ledger.reserve({ requestId, caller: fresh.caller, amount: 10n, row });
  await ledger.settle({ requestId, customer: 10n, provider: 5n, estimated: false, row });
}

const sum = async (): Promise<string | undefined> =>
  (await createUsageReader({ database: fresh.database }).report({ by: ['session'] }, fresh.caller)).total
    ?.customer;

/** Works while another transaction has these rows. */
async function withLocked(rows: string, work: () => Promise<void>): Promise<void> {
  const holder = await fresh.database.openSession();
  try {
    await holder.query({ text: 'BEGIN' });
    const { rowCount } = await holder.query({ text: `SELECT FROM ${rows} FOR UPDATE` });
    assert.ok(rowCount > 0, 'there is something to lock');
    await work();
  } finally {
    await holder.close();
  }
}

/** Works while `usage_roll_up` waits for rows that another transaction has. */
async function whileRollingUp(rows: string, work: () => Promise<void>): Promise<void> {
  const session = await fresh.database.openSession();
  try {
    const [own] = (await session.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' })).rows;
    const waiting = `SELECT FROM pg_stat_activity WHERE pid = ${own?.pid ?? 0} AND wait_event_type = 'Lock'`;
    let rolling: Promise<unknown> | undefined;
    await withLocked(rows, async () => {
      rolling = session.query({ text: 'SELECT usage_roll_up()' });
      await until('it waits', async () => (await execute(waiting)).length === 1);
      await work();
      assert.equal((await execute(waiting)).length, 1, 'it waits still');
    });
    await rolling;
  } finally {
    await session.close();
  }
}

const EXPIRED = 'WHERE hour < (SELECT retention_cutoff FROM log_state)';

test('a month is dropped while another transaction has its details, which are no difference until they are deleted', async () => {
  const session = await fresh.database.openSession();
  try {
    await session.query({ text: `SET lock_timeout = '50ms'` });
    await withLocked('usage_detail WHERE hour < now()', async () => {
      const { rows } = await session.query<{ done: boolean }>({
        text: 'SELECT request_log_expire(log_month(now())) AS done',
      });
      assert.equal(rows[0]?.done, true);
    });
  } finally {
    await session.close();
  }
  assert.equal((await execute(`SELECT FROM usage_detail ${EXPIRED}`)).length, 2);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
  assert.equal(await sum(), '30');
});

test('while usage of a dropped month is moved, requests of that month and of this one are written', async () => {
  for (const table of ['usage_detail', 'usage_hour']) {
    await pay(EXPIRED_AT);
    await whileRollingUp(`${table} ${EXPIRED}`, async () => {
      await pay(EXPIRED_AT);
      await pay(Date.now());
    });
  }
  assert.equal((await execute(`SELECT FROM usage_detail ${EXPIRED}`)).length, 0);
  assert.equal(await sum(), '90');
  await execute('SELECT usage_roll_up()');
  assert.equal((await execute('SELECT FROM request_log_default')).length, 0, 'late rows are counted');
  assert.equal(await sum(), '90');
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});
