import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Queryable, Statement } from '#storage';
import { createRow } from '../../../test/support/fresh-accounts.ts';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { LogUpkeep } from '../upkeep/upkeep.ts';
import type { UsageFilter } from './select-usage.ts';
import {
  HOURLY_COLUMNS,
  TIME_GROUPS,
  type UsageDimension,
  type UsageGroup,
  columnOf,
  isTime,
} from './usage-groups.ts';
import { createUsageReader } from './usage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SESSIONS = 240;
const AGENTS = ['agent', 'parent-agent'] as const;
const OTHERS = ['session', 'run', 'turn', 'user', 'token', 'hour'] as const;
const PAIRS = AGENTS.flatMap((agent) =>
  OTHERS.flatMap((other): [UsageGroup, UsageGroup][] => [
    [agent, other],
    [other, agent],
  ]),
);
const next = createSeededRandom(11);
const pick = (most: number): number => Math.floor(next() * most);
const now = Date.now();

/** Requests of a session: some over midnight, with agents of its own and common ones, some names missing. */
function createSession(n: number): object[] {
  const organizationId = `org_${n % 3 === 0 ? 1 : 0}`;
  const startedAt = now - pick(6 * 24) * HOUR_MS;
  return Array.from({ length: 8 }, (_, at) => {
    const agent = pick(3) === 0 ? undefined : pick(5) === 0 ? 'a-common' : `a-${n}-${pick(2)}`;
    return createRow(
      { organizationId, projectId: `prj_${n % 2}`, keyId: 'key', keyLabel: 'k' },
      `req_${n}_${at}`,
      {
        startedAt: startedAt + at * HOUR_MS,
        modelId: `model-${n % 2}`,
        customer: String(organizationId === 'org_0' ? pick(1e9) : pick(3)), // many of the second cost the same
        ...(n % 20 > 0 && { sessionId: `s-${n}`, runId: `r-${n}`, turnId: `t-${n}-${at % 3}` }),
        ...(agent !== undefined && { agentId: agent }),
        ...(agent !== undefined && pick(2) === 0 && { parentAgentId: `a-${n}-0` }),
        ...(n % 4 > 0 && { endUserId: `u-${n % 40}` }),
        ...(n % 2 > 0 && { sessionTokenId: `tok-${n % 30}` }),
      },
    );
  });
}

const fresh = shareOpened(() => openFreshDatabase());
const run = (text: string, values: unknown[] = []) =>
  fresh.database.query<{ line: string }>({ text, values });
const store = (rows: object[]) => run('SELECT request_log_store($1)', [JSON.stringify(rows)]);
const maintain = (maxAgeDays: number) =>
  new LogUpkeep({
    database: fresh.database,
    limits: { maxAgeDays, maxBytes: 1024 ** 4 },
    onFault: (error) => assert.ifError(error),
  }).pass();

before(async () => {
  await run(
    `SELECT log_partition_make('request_log', 'started_at', m)
    FROM generate_series(log_month(now() - interval '100 days'), now(), interval '1 month') AS m`,
  );
  const old = createSession(SESSIONS).map((row) => ({ ...row, startedAt: now - 80 * DAY_MS }));
  await store([...Array.from({ length: SESSIONS }, (_, n) => createSession(n)).flat(), ...old]);
  await run('CREATE TABLE every_row AS SELECT * FROM request_log');
  await maintain(400);
  await maintain(40);
  const late = createSession(SESSIONS + 1).map((row) => ({ ...row, startedAt: now - 30 * HOUR_MS }));
  await store(late);
  await run(`INSERT INTO every_row SELECT * FROM request_log WHERE request_id LIKE 'req_${SESSIONS + 1}%'`);
});

const HOUR =
  'CASE WHEN started_at < retention_cutoff THEN usage_day_of(started_at) ELSE usage_hour_of(started_at) END';

/** The report from every row there was; with the month they were in, names and the hour of the day are gone. */
async function sumRows(filter: UsageFilter & { organizationId: string }): Promise<string[]> {
  const { by = [], top, since = 0, until = 1e13, organizationId } = filter;
  const names = by.filter((group) => !isTime(group));
  const columns = names.map((name) => columnOf(name as UsageDimension));
  const named = columns.map((column) =>
    HOURLY_COLUMNS.includes(column)
      ? column
      : `CASE WHEN started_at < retention_cutoff THEN '' ELSE COALESCE(${column}, '') END AS ${column}`,
  );
  const list = columns.join(', ');
  const labels = by.map((group) =>
    isTime(group)
      ? `to_char(hour AT TIME ZONE 'UTC', '${TIME_GROUPS[group].format}')`
      : `CASE WHEN is_top THEN ${columnOf(group as UsageDimension)} ELSE '' END`,
  );
  const counted = ['is_top IS NULL', ...labels];
  const text = `WITH lines AS (
      SELECT ${named.join(', ')}, ${HOUR} AS hour, customer_cost, output_text FROM every_row, log_state
      WHERE organization_id = $1 AND started_at >= to_timestamp($2::float8 / 1000) AND started_at < to_timestamp($3::float8 / 1000)
    ), ranked AS (
      SELECT ${list}, true AS is_top FROM lines GROUP BY ${list}
      ORDER BY sum(customer_cost) DESC, count(*) DESC, ${list} LIMIT $4
    )
    SELECT concat_ws(' ', ${[...counted, 'count(*)', 'sum(customer_cost)', 'sum(output_text)'].join(', ')}) AS line
    FROM lines LEFT JOIN ranked USING (${list}) GROUP BY ${counted.join(', ')}`;
  const { rows } = await run(text, [organizationId, since, until, top]);
  return rows.map(({ line }) => line).sort();
}

async function report(filter: UsageFilter & { organizationId: string }): Promise<string[]> {
  const { lines } = await createUsageReader({ database: fresh.database }).report(filter, filter);
  return lines
    .map(({ group, isOther, requests, customer, usage }) =>
      [
        isOther ? 't' : 'f',
        ...(filter.by ?? []).map((name) => group[name]),
        requests,
        customer,
        usage.outputText,
      ].join(' '),
    )
    .sort();
}

/** Agents alone, and with names of which there are few. */
const ALONE: UsageGroup[][] = [
  ['agent'],
  ['agent', 'model'],
  ['project', 'agent'],
  ['agent', 'parent-agent'],
  ['agent', 'month'],
];

test('the most expensive combinations with an agent and the others together are the sums of the rows', async () => {
  for (const by of [...PAIRS, ...ALONE, ...ALONE])
    for (const top of [1 + pick(3), 10]) {
      const organizationId = `org_${pick(2)}`;
      const since = Math.floor((now - pick(7 * 24) * HOUR_MS) / HOUR_MS) * HOUR_MS;
      const until = since + pick(48) * HOUR_MS;
      for (const span of [{}, pick(2) === 0 ? { since } : { since, until }]) {
        const days: UsageGroup[] = by.includes('hour') || pick(4) > 0 ? by : [...by, 'day'];
        const filter = { by: days, top, organizationId, ...span };
        assert.deepEqual(await report(filter), await sumRows(filter), JSON.stringify(filter));
      }
    }
});

/** The statements of a report that rank combinations. */
async function listStatements(by: readonly UsageGroup[]): Promise<string[]> {
  const texts: string[] = [];
  const transaction = <Result>(work: (client: Queryable) => Promise<Result>): Promise<Result> =>
    fresh.database.transaction((client) =>
      work({
        query: (statement: Statement) => {
          texts.push(statement.text);
          return client.query(statement);
        },
      }),
    );
  const reader = createUsageReader({ database: { ...fresh.database, transaction } });
  await reader.report({ by, top: 3 }, { organizationId: 'org_0' });
  return texts;
}

const listRankings = async (by: readonly UsageGroup[]): Promise<string[]> =>
  (await listStatements(by)).filter((text) => text.startsWith('SELECT by_0, by_1, sum(ranked_cost)'));

test('agents are ranked by the lines that cost most and by those of agents with several', async () => {
  const rankings = (await listStatements(['agent'])).filter((text) => text.includes('AS ranked_cost, sum('));
  assert.equal(rankings.length, 1);
  for (const text of rankings) assert.match(text, /agent_id = ANY /);
  const kept = `SELECT organization_id, agent_id FROM usage_day_agent_name, log_state WHERE agent_id <> '' AND day >= retention_cutoff`;
  const lacking = `${kept} GROUP BY 1, 2 HAVING count(*) > 1 EXCEPT SELECT organization_id, agent_id FROM usage_repeated_agent`;
  assert.deepEqual((await run(lacking)).rows, []);
  const dropped = `SELECT organization_id, agent_id FROM usage_repeated_agent EXCEPT ${kept}`;
  assert.deepEqual((await run(dropped)).rows, []);
  assert.ok((await run('SELECT FROM usage_repeated_agent')).rows.length > 0);
});

test('only combinations of some names are summed up to find the most expensive', async () => {
  for (const by of PAIRS.filter(([, other]) => other !== 'hour' && other !== 'token'))
    for (const text of await listRankings(by)) assert.match(text, / = ANY /u, by.join(', '));
});
