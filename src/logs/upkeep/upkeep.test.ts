import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogRow } from '../rows/log-row.ts';
import { createTimedIdentifier } from '#base';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { until } from '../../../test/support/until.ts';
import { SLOWNESS_MS } from '../../../test/support/within.ts';
import { createLogs } from '../rows/logs.ts';
import { LogUpkeep } from './upkeep.ts';
import { type UsageReader, createUsageReader } from '../usage/usage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than a test takes on a slow machine. */
const HOUR_END_MS = 20_000;
const MANY = { maxAgeDays: 400, maxBytes: 1024 ** 4 };

let usage: UsageReader;
const fresh = shareOpened(() => openFreshAccounts());
before(() => {
  usage = createUsageReader({ database: fresh.database });
});

const createUpkeep = (limits = MANY, faults: unknown[] = []): LogUpkeep =>
  new LogUpkeep({ database: fresh.database, limits, onFault: (error) => faults.push(error) });

async function query<Row>(text: string): Promise<Row[]> {
  return (await fresh.database.query<Row>({ text })).rows;
}

/** A request that was paid; what it started at is in its id, as in every id of the gateway. */
async function pay(startedAt: number, customer: bigint, more: Partial<LogRow> = {}): Promise<string> {
  const { ledger } = fresh.accounts;
  const requestId = createTimedIdentifier('req', startedAt);
  const row = createRow(fresh.caller, requestId, { startedAt, ...more });
  await ledger.reserve({ requestId, caller: fresh.caller, amount: customer, row });
  await ledger.settle({ requestId, customer, provider: customer / 2n, estimated: false, row });
  return requestId;
}

const sum = async (): Promise<string> =>
  (await usage.report({}, fresh.caller)).lines
    .map(({ requests, customer }) => `${requests} for ${customer}`)
    .join();
/** The books agree, and so do sums by what only rows and details have. */
async function isClean(): Promise<void> {
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
  const costs = [];
  for (const by of [[], ['session'], ['run', 'model'], ['hour', 'tag:team']] as const)
    costs.push((await usage.report({ by }, fresh.caller)).total?.customer);
  assert.deepEqual(costs, [costs[0], costs[0], costs[0], costs[0]]);
}

/** The open hour must not end during a test that counts hours. */
async function awaitFreshHour(): Promise<void> {
  const leftMs = HOUR_MS - (Date.now() % HOUR_MS);
  if (leftMs < HOUR_END_MS) await sleep(leftMs);
}

/** Partitions of months that are over, as an installation of that age has them. */
const makeMonths = (from: number): Promise<unknown[]> =>
  query(`SELECT log_partition_make('request_log', 'started_at', m)
    FROM generate_series(log_month(to_timestamp(${from / 1000})), now(), interval '1 month') AS m`);

test('usage is the same before it is counted, after, and with rows that came late; a correction counts', async () => {
  await awaitFreshHour();
  const now = Date.now();
  await makeMonths(now - 100 * DAY_MS);
  await pay(now - 3 * 3_600_000, 100n, { modelId: 'a' });
  await pay(now - 2 * DAY_MS, 200n, { modelId: 'b' });
  await pay(now, 50n, { modelId: 'a' });
  assert.equal(await sum(), '3 for 350');
  const report = await createUpkeep().pass();
  assert.equal(report.skipped, false);
  assert.equal((await query('SELECT FROM usage_hour')).length, 2, 'the open hour is read from its rows');
  assert.equal(await sum(), '3 for 350');
  await pay(now - 2 * DAY_MS, 7n, { modelId: 'b' });
  await pay(now - 40 * DAY_MS, 3n, { modelId: 'c' });
  assert.equal((await query('SELECT FROM usage_late')).length, 2, 'late rows mark their hours');
  assert.equal(await sum(), '5 for 360');
  await isClean();
  await createUpkeep().pass();
  assert.equal((await query('SELECT FROM usage_late')).length, 0);
  assert.equal(await sum(), '5 for 360');
  await isClean();
  const { lines: models } = await usage.report({ by: ['model'], since: now - 3 * DAY_MS }, fresh.caller);
  assert.deepEqual(
    models.map(({ group, customer }) => [group.model, customer]),
    [
      ['b', '207'],
      ['a', '150'],
    ],
  );
  assert.deepEqual((await usage.report({}, { organizationId: 'org_stranger' })).lines, []);
});

test('the check finds wrong counts and counts of deleted rows', async () => {
  await fresh.database.query({ text: `UPDATE usage_hour SET requests = requests + 1 WHERE model_id = 'b'` });
  assert.deepEqual(
    (await fresh.accounts.ledger.check()).map(({ what }) => what),
    ['usage', 'details of usage'],
  );
  await fresh.database.query({ text: `UPDATE usage_hour SET requests = requests - 1 WHERE model_id = 'b'` });
  await createUpkeep().pass();
  for (const [table, what] of [
    ['usage_day_client', 'usage by client'],
    ['usage_day_tag', 'usage by tag'],
    ['usage_day_session', 'usage by session'],
    ['usage_day_agent', 'usage by agent'],
    ['usage_day_agent_name', 'usage by agent alone'],
    ['usage_day_run', 'usage by run'],
    ['usage_day_tag_agent', 'usage by agent and tag'],
    ['usage_day_tag_parent', 'usage by parent agent and tag'],
    ['usage_day_tag_user', 'usage by end user and tag'],
    ['usage_day_tag_token', 'usage by session token and tag'],
    ['usage_hour_unnamed', 'usage without names'],
    ['usage_hour_client', 'usage per hour by client'],
    ['usage_hour_tag', 'usage per hour by tag'],
  ]) {
    await query(`UPDATE ${table} SET customer_cost = customer_cost + 1 WHERE model_id = 'b'`);
    assert.deepEqual(
      (await fresh.accounts.ledger.check()).map((one) => one.what),
      [what],
    );
    await query(`UPDATE ${table} SET customer_cost = customer_cost - 1 WHERE model_id = 'b'`);
  }
  await isClean();
});

test('details that were counted by an earlier version are counted again, a day at a time, and usage is the same', async () => {
  const before = await sum();
  await query('UPDATE log_state SET detailed_from = counted_through');
  await query('UPDATE usage_detail SET requests = requests + 1');
  assert.equal(await sum(), before);
  await isClean();
  await createUpkeep().pass();
  const [state] = await query<{ whole: boolean }>(
    `SELECT detailed_from = '-infinity' AS whole FROM log_state`,
  );
  assert.equal(state?.whole, true);
  const open = `SELECT FROM usage_open, log_state WHERE day + interval '24 hours' <= counted_through`;
  assert.equal((await query(open)).length, 0);
  await isClean();
});

test('open days are summed up one at a time, the latest first', async () => {
  await query('INSERT INTO usage_open SELECT DISTINCT day FROM usage_day ON CONFLICT DO NOTHING');
  const list = () =>
    query(
      `SELECT day FROM usage_open, log_state WHERE day + interval '24 hours' <= counted_through ORDER BY day`,
    );
  const days = await list();
  assert.ok(days.length > 1);
  assert.deepEqual(await query('SELECT usage_sum_days() AS more'), [{ more: true }]);
  assert.deepEqual(await list(), days.slice(0, -1));
  await createUpkeep().pass();
  assert.deepEqual(await list(), []);
  await isClean();
});

test('closing an hour waits for writers that began before, so that no row is missed', async () => {
  const startedAt = Date.now() - 5 * DAY_MS;
  await query(
    `UPDATE log_state SET retention_cutoff = '-infinity', closed_through = '-infinity', counted_through = '-infinity'`,
  );
  await query('DELETE FROM usage_hour');
  const session = await fresh.database.openSession();
  await session.query({ text: 'BEGIN' });
  const row = createRow(fresh.caller, 'req_slow', { startedAt, finishReason: 'client_error' });
  await session.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify([row])] });
  let isOver = false;
  const passing = createUpkeep()
    .pass()
    .then(() => (isOver = true));
  await until('the hours are closed', async () => {
    const [state] = await query<{ closed: boolean }>(
      'SELECT isfinite(closed_through) AS closed FROM log_state',
    );
    return state?.closed === true;
  });
  assert.equal(isOver, false);
  await session.query({ text: 'COMMIT' });
  await session.close();
  await passing;
  assert.equal(await sum(), '6 for 360');
  assert.equal((await query('SELECT FROM usage_late')).length, 0, 'no mark was needed');
  await isClean();
});

test('a month past its age is dropped, its usage stays, and the books agree; a row it still gets is not lost', async () => {
  const startedAt = Date.now() - 100 * DAY_MS;
  const requestId = await pay(startedAt, 1_000n);
  await createUpkeep().pass();
  const { partitionsDropped } = await createUpkeep({ ...MANY, maxAgeDays: 31 }).pass();
  assert.ok(partitionsDropped.length >= 1);
  const logs = createLogs({ database: fresh.database });
  assert.equal(await logs.find(requestId, fresh.caller), undefined);
  assert.equal(await sum(), '7 for 1360');
  await isClean();
  const late = await pay(startedAt, 10n);
  assert.ok(await logs.find(late, fresh.caller));
  assert.equal(await sum(), '8 for 1370');
  await isClean();
  await createUpkeep({ ...MANY, maxAgeDays: 31 }).pass();
  assert.equal(await logs.find(late, fresh.caller), undefined, 'folded into the usage');
  assert.equal(await sum(), '8 for 1370');
  await isClean();
  const { lines } = await usage.report({ by: ['day'], until: startedAt + DAY_MS }, fresh.caller);
  const [entry] = lines;
  assert.equal(entry?.customer, '1010');
});

test('a lost row is found, within the retention period and outside', async () => {
  const [kept] = await query<{ request_id: string }>(
    `SELECT request_id FROM request_log WHERE customer_cost = 50`,
  );
  await query(
    `CREATE TABLE spare AS SELECT * FROM request_log WHERE request_id = '${kept?.request_id ?? ''}'`,
  );
  await query(`DELETE FROM request_log WHERE request_id = '${kept?.request_id ?? ''}'`);
  assert.deepEqual(
    (await fresh.accounts.ledger.check()).map(({ what, actual }) => `${what} ${actual}`),
    ['row none'],
  );
  await query('INSERT INTO request_log SELECT * FROM spare');
  await query(`UPDATE usage_hour SET customer_cost = customer_cost - 1 WHERE customer_cost = 1010`);
  assert.deepEqual(
    (await fresh.accounts.ledger.check()).map(({ what }) => what),
    ['expired usage'],
  );
  await query(`UPDATE usage_hour SET customer_cost = customer_cost + 1 WHERE customer_cost = 1009`);
  await isClean();
});

test('of two processes one does the upkeep', async () => {
  const session = await fresh.database.openSession();
  await session.query({ text: 'SELECT pg_advisory_lock(1397513299, 3)' });
  assert.equal((await createUpkeep().pass()).skipped, true);
  await session.close();
});

test('a row without a month’s partition is not lost, and is moved when the partition is created', async () => {
  const startedAt = Date.now() + 200 * DAY_MS;
  const requestId = await pay(startedAt, 5n);
  const where = async (): Promise<string | undefined> =>
    (
      await query<{ name: string }>(
        `SELECT tableoid::regclass::text AS name FROM request_log WHERE request_id = '${requestId}'`,
      )
    )[0]?.name;
  assert.equal(await where(), 'request_log_default');
  await query(`SELECT log_partition_make('request_log', 'started_at', to_timestamp(${startedAt / 1000}))`);
  assert.match((await where()) ?? '', /^request_log_\d{4}_\d\d$/);
  await isClean();
});

test('past the size limit the oldest months are dropped, never the current one, and the operator is informed', async () => {
  const faults: unknown[] = [];
  const report = await createUpkeep({ maxAgeDays: 400, maxBytes: 1 }, faults).pass();
  assert.ok(report.partitionsDropped.length >= 1);
  assert.match(String(faults[0]), /larger than logs.maxSizeGb/);
  assert.ok((await query('SELECT FROM request_log')).length > 0);
  await isClean();
});

test('while partitions are created and dropped, writers do not wait', async () => {
  await makeMonths(Date.now() - 150 * DAY_MS);
  const slowest: number[] = [];
  let isDone = false;
  const write = async (): Promise<void> => {
    for (let at = 0; !isDone; at += 1) {
      const begin = performance.now();
      await fresh.accounts.ledger.record(
        createRow(fresh.caller, createTimedIdentifier('req', Date.now() + at)),
      );
      slowest.push(performance.now() - begin);
    }
  };
  const writing = Promise.all([write(), write(), write()]);
  try {
    for (let turn = 0; turn < 3 || slowest.length <= 50; turn += 1) {
      await makeMonths(Date.now() - 150 * DAY_MS);
      await createUpkeep({ ...MANY, maxAgeDays: 1 }).pass();
      await query(`UPDATE log_state SET retention_cutoff = '-infinity'`);
    }
  } finally {
    isDone = true;
    await writing;
  }
  assert.ok(Math.max(...slowest) < SLOWNESS_MS, `${Math.max(...slowest).toFixed(0)} ms`);
});
