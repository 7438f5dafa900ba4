import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Database } from '#storage';
import type { LogFilter } from './log-filter.ts';
import { closeMonths, summarizeBlocks } from '../upkeep/close-months.ts';
import { fillLog } from '../../../test/support/fill-log.ts';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { type Logs, createLogs } from './logs.ts';
import { escapeLike, explainRows, selectRows } from './select-rows.ts';

const BIG = { organizationId: 'org_0' };
const ROWS = 20_000;
const DAYS = 150;
/** The running month is so small here that its rows may be read one by one: up to 31 days of them. */
const MOST_REMOVED = (ROWS / DAYS) * 32;
const DAY_MS = 86_400_000;

let database: Database;
let logs: Logs;
const fresh = shareOpened(() => openFreshDatabase());
before(async () => {
  database = fresh.database;
  logs = createLogs({ database });
  await fillLog(database, { rows: ROWS, days: DAYS });
  await database.query({ text: 'UPDATE log_state SET counted_through = now(), closed_through = now()' }); // a month closes once it is counted
  const session = await database.openSession();
  const tools = { session, signal: new AbortController().signal };
  await summarizeBlocks(tools);
  while ((await closeMonths(tools)) > 0);
  await session.close();
});

/** Every row that a page made the server look at and then throw away, and the tables it opened. */
async function explain(filter: LogFilter): Promise<{ removed: number; tables: Set<string>; plan: string }> {
  const { text, values = [] } = selectRows({ ...filter, ...BIG, limit: 20 });
  const { rows } = await database.query<Record<string, string>>({
    text: `EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) ${text}`,
    values,
  });
  const lines = rows.map((row) => row['QUERY PLAN'] ?? '').filter((line) => !line.includes('never executed'));
  const plan = lines.join('\n');
  const removed = [...plan.matchAll(/Rows Removed by [\w ]+: (\d+)/g)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
  return { removed, tables: new Set(plan.match(/ on request_log_\w+/g)), plan };
}

test('a page reads its rows from indexes, whatever its filter, and discards few', async () => {
  const filters: LogFilter[] = [
    {},
    { projectId: 'prj_0_1' },
    { keyId: 'key_0_4' },
    { model: 'model-3' },
    { model: 'model-11' },
    { model: 'client-name-11' },
    { finishReason: 'gateway_error' },
    { finishReason: 'error' },
    { sessionId: 'nobody' },
    { memberId: 'nobody' },
    { sessionTokenId: 'nobody' },
    { providerId: 'nobody' },
    { projectId: 'prj_0_1', model: 'model-11' },
    { keyId: 'key_0_4', finishReason: 'gateway_error' },
    { memberId: 'mem_0', providerId: 'nobody' },
  ];
  for (const filter of filters) {
    const { removed, plan } = await explain(filter);
    assert.ok(removed < MOST_REMOVED, `${JSON.stringify(filter)} threw ${removed} rows away:\n${plan}`);
    assert.doesNotMatch(plan, /Seq Scan on request_log_\d+_\d+ .*rows=[1-9]/);
  }
});

test('bounds of time leave the other months unopened', async () => {
  const since = Date.now() - 70 * DAY_MS;
  const { tables } = await explain({ since, until: since + DAY_MS });
  assert.ok(tables.size <= 3, [...tables].join()); // at most two months, and what no month takes
  const past = await explain({ before: { startedAt: Date.now() - 100 * DAY_MS, requestId: '' } });
  assert.ok(past.tables.size < (await explain({})).tables.size + 1);
});

test('pages of every filter are the rows of the whole list that fit, in its order', async () => {
  const all = await readAll({});
  assert.ok(all.length > ROWS / 3);
  const [some] = all.slice(900);
  const cases: [LogFilter, (row: (typeof all)[number]) => boolean][] = [
    [{ model: 'model-5' }, ({ modelId }) => modelId === 'model-5'],
    [{ model: 'client-name-5' }, ({ requestedModel }) => requestedModel === 'client-name-5'],
    [{ sessionId: some?.sessionId ?? '' }, ({ sessionId }) => sessionId === some?.sessionId],
    [
      { memberId: 'mem_0', finishReason: 'completed' },
      (row) => row.memberId === 'mem_0' && row.finishReason === 'completed',
    ],
    [{ providerId: 'provider-2' }, ({ providerId }) => providerId === 'provider-2'],
    [{ userAgent: 'claude-cli/2.1' }, ({ userAgent }) => userAgent?.startsWith('claude-cli/2.1') === true],
    [{ search: 'LATE 13' }, ({ errorMessage }) => errorMessage?.includes('late 13') === true],
  ];
  for (const [filter, fits] of cases) {
    const expected = all.filter(fits).map(({ requestId }) => requestId);
    assert.ok(expected.length > 0, JSON.stringify(filter));
    assert.deepEqual(
      (await readAll(filter)).map(({ requestId }) => requestId),
      expected,
      JSON.stringify(filter),
    );
  }
});

async function readAll(filter: LogFilter) {
  const all = await logs.list({ ...filter, limit: 1000 }, BIG);
  for (let last = all.at(-1); last !== undefined;) {
    const page = await logs.list({ ...filter, limit: 1000, before: last }, BIG);
    all.push(...page);
    last = page.length === 1000 ? page.at(-1) : undefined;
  }
  return all;
}

test('the operator sees the rows of every organization in one order', async () => {
  const rows = await logs.list({ model: 'model-5', limit: 1000 }, 'all');
  const places = rows.map(({ startedAt, requestId }) => [startedAt, requestId] as const);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => b[0] - a[0] || (a[1] < b[1] ? 1 : -1)),
  );
  assert.ok(new Set(rows.map(({ organizationId }) => organizationId)).size > 10);
});

test('rows of every organization that are few are read at once, whatever organizations there are', async () => {
  const filter = { model: 'model-11' };
  const { text = '', values = [] } = explainRows(filter) ?? {};
  const { rows } = await database.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>({
    text,
    values,
  });
  assert.ok((rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? Infinity) < 100);
  const all = await logs.list(filter, 'all');
  const { rows: organizations } = await database.query<{ id: string }>({
    text: 'SELECT id FROM organization',
  });
  const own = await Promise.all(organizations.map(({ id }) => logs.list(filter, { organizationId: id })));
  assert.ok(all.length > 0);
  assert.deepEqual(
    new Set(all.map(({ requestId }) => requestId)),
    new Set(own.flat().map(({ requestId }) => requestId)),
  );
  assert.doesNotMatch(selectRows(filter, true).text, /LATERAL/);
  for (const other of [{}, { ...filter, ...BIG }]) assert.equal(explainRows(other), undefined);
});

test('wildcards in a search are the characters they are', async () => {
  assert.equal(escapeLike('50%_\\'), '50\\%\\_\\\\');
  assert.deepEqual(await logs.list({ search: '%_%_%_' }, BIG), []);
  assert.deepEqual(await logs.list({ userAgent: '%cli' }, BIG), []);
  await assert.rejects(logs.list({ search: ' x ' }, BIG), /search for 2 characters or more/);
  await assert.rejects(logs.list({ search: 'x'.repeat(1_001) }, BIG), /search for 1,000 characters or fewer/);
});

test('a query that takes too long is cancelled with a hint', async () => {
  const { queryInTime } = await import('../query-in-time.ts');
  await assert.rejects(queryInTime({ database }, 'all', { text: 'SELECT pg_sleep(10)' }), {
    code: 'invalid_request',
    message: /longer than 2 s; narrow it by time/,
  });
});
