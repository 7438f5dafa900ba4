import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { until } from '../../../test/support/until.ts';
import { closeMonths } from './close-months.ts';
import { LogUpkeep } from './upkeep.ts';

const DAY_MS = 86_400_000;
/** The indexes of every month: the primary key, those of the newest rows, and those of few rows. */
const RUNNING = 8;
const CLOSED = 14;

const fresh = shareOpened(() => openFreshAccounts());
before(async () => {
  const { database } = fresh;
  await query(`SELECT log_partition_make('request_log', 'started_at', m)
    FROM generate_series(log_month(now() - interval '70 days'), now(), interval '1 month') AS m`);
  const store = (id: string, startedAt: number) => createRow(fresh.caller, id, { startedAt });
  for (let days = 0; days < 70; days += 1)
    await database.query({
      text: 'SELECT request_log_store($1)',
      values: [JSON.stringify([store(`req_${days}`, Date.now() - days * DAY_MS)])],
    });
});

async function query<Row>(text: string): Promise<Row[]> {
  return (await fresh.database.query<Row>({ text })).rows;
}

const pass = (): ReturnType<LogUpkeep['pass']> =>
  new LogUpkeep({
    database: fresh.database,
    limits: { maxAgeDays: 4_000, maxBytes: Number.MAX_SAFE_INTEGER },
    onFault: (error) => assert.fail(String(error)),
  }).pass();

/** Valid indexes by month, oldest first; the last is the running one. */
async function countIndexes(): Promise<number[]> {
  const rows = await query<{ count: number }>(`
    SELECT count(*) FILTER (WHERE indisvalid)::int AS count FROM log_partitions('request_log') p
    JOIN pg_index i ON i.indrelid = p.name::regclass WHERE p.starts_at <= now() GROUP BY p.starts_at ORDER BY p.starts_at`);
  return rows.map(({ count }) => count);
}

async function passUntilClosed(): Promise<number[]> {
  const made: number[] = [];
  for (let last = -1; last !== 0;) {
    last = (await pass()).indexesCreated;
    made.push(last);
  }
  return made;
}

test('the running month has eight indexes; each month that is over gets the rest, one month per pass', async () => {
  const months = (await countIndexes()).length;
  assert.ok(months >= 3);
  assert.deepEqual(new Set(await countIndexes()), new Set([RUNNING]));
  const made = await passUntilClosed();
  assert.deepEqual(made, [...Array.from({ length: months - 1 }, () => CLOSED - RUNNING), 0]);
  assert.deepEqual(await countIndexes(), [...Array.from({ length: months - 1 }, () => CLOSED), RUNNING]);
});

test('an index whose build was interrupted is built again', async () => {
  const before = await countIndexes();
  await query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = (
    SELECT (p.name || '_session')::regclass FROM log_partitions('request_log') p ORDER BY p.starts_at LIMIT 1)`);
  assert.equal((await countIndexes())[0], CLOSED - 1);
  assert.deepEqual(await passUntilClosed(), [1, 0]);
  assert.deepEqual(await countIndexes(), before);
});

test('months that are older than the index of names get it, also the running one', async () => {
  await query(`DO $$ BEGIN
    DROP INDEX request_log_names;
    CREATE INDEX request_log_names ON ONLY request_log USING brin (agent_id text_bloom_ops (n_distinct_per_range = 100),
      turn_id text_bloom_ops (n_distinct_per_range = 200), run_id text_bloom_ops (n_distinct_per_range = 100),
      end_user_id text_bloom_ops (n_distinct_per_range = 100), parent_agent_id text_bloom_ops (n_distinct_per_range = 32),
      client_name text_bloom_ops (n_distinct_per_range = 16)) WITH (pages_per_range = 16, autosummarize = on);
    EXECUTE 'CREATE INDEX ' || log_names_index('of_default', 'request_log_default');
    ALTER INDEX request_log_names ATTACH PARTITION of_default;
  END $$`);
  const isWhole = async (): Promise<boolean | undefined> =>
    (
      await query<{ whole: boolean }>(
        `SELECT indisvalid AS whole FROM pg_index WHERE indexrelid = 'request_log_names'::regclass`,
      )
    )[0]?.whole;
  assert.equal(await isWhole(), false);
  const before = await countIndexes();
  await passUntilClosed();
  assert.equal(await isWhole(), true);
  assert.deepEqual(
    await countIndexes(),
    before.map((count) => count + 1),
  );
});

test('rows of a month are written while its indexes are built', async () => {
  await query(`DO $$ BEGIN EXECUTE (SELECT format('DROP INDEX %I', p.name || '_model')
    FROM log_partitions('request_log') p ORDER BY p.starts_at LIMIT 1); END $$`);
  const [oldest] = await query<{ ms: number }>(`SELECT (extract(epoch FROM p.starts_at) * 1000)::float8 AS ms
    FROM log_partitions('request_log') p ORDER BY p.starts_at LIMIT 1`);
  const startedAt = (oldest?.ms ?? 0) + 60_000;
  const store = (id: string) => ({
    text: 'SELECT request_log_store($1)',
    values: [JSON.stringify([createRow(fresh.caller, id, { startedAt })])],
  });
  // The index cannot be complete before this transaction ends.
  const session = await fresh.database.openSession();
  await session.query({ text: 'BEGIN' });
  await session.query(store('req_open'));
  let isOver = false;
  const upkeep = await fresh.database.openSession();
  const signal = new AbortController().signal;
  const passing = closeMonths({ session: upkeep, signal }).finally(() => (isOver = true));
  await until(
    'the index is being built',
    async () => (await query('SELECT FROM pg_stat_progress_create_index')).length > 0,
  );
  await fresh.database.query(store('req_meanwhile'));
  assert.equal(isOver, false);
  await session.query({ text: 'COMMIT' });
  await session.close();
  assert.equal(await passing, 1);
  await upkeep.close();
  const rows = await query<{ id: string }>(
    `SELECT request_id AS id FROM request_log WHERE request_id IN ('req_open', 'req_meanwhile')`,
  );
  assert.equal(rows.length, 2);
});
