import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Queryable } from '#storage';
import { createRow } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { fillLog } from '../../../test/support/fill-log.ts';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { repetitions } from '../../../test/support/repetitions.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { LogUpkeep } from '../upkeep/upkeep.ts';
import type { UsageFilter } from './select-usage.ts';
import {
  TIME_GROUPS,
  USAGE_GROUPS,
  type UsageDimension,
  type UsageGroup,
  columnOf,
  isTime,
} from './usage-groups.ts';
import { type UsageReader, createUsageReader } from './usage.ts';

const HOUR_MS = 3_600_000;
const DAYS = 12;
const TAG = 'tag:team';
const TURNS = repetitions(200);
const ACME = { organizationId: 'org_0' };

let usage: UsageReader;
const fresh = shareOpened(() => openFreshDatabase());
before(async () => {
  usage = createUsageReader({ database: fresh.database });
  await fillLog(fresh.database, { rows: 3_000, days: DAYS });
  await fresh.database.query({
    text: 'SELECT request_log_store($1)',
    values: [JSON.stringify(Array.from({ length: 200 }, (_, n) => createNamed(n)))],
  });
  const limits = { maxAgeDays: 400, maxBytes: 1024 ** 4 };
  await new LogUpkeep({ database: fresh.database, limits, onFault: (error) => assert.ifError(error) }).pass();
  const caller = { organizationId: 'org_0', projectId: 'prj_0_0', keyId: 'key_0_0', keyLabel: 'k' };
  const late = createRow(caller, 'req_late', {
    startedAt: Date.now() - 60 * HOUR_MS,
    modelId: 'model-1',
    providerId: 'provider-1',
  });
  await fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify([late])] });
});

/** A row with names, of which a few are frequent, over some days. */
function createNamed(n: number): object {
  const caller = { organizationId: 'org_0', projectId: 'prj_0_0', keyId: 'key_0_0', keyLabel: 'k' };
  return createRow(caller, `req_named_${n}`, {
    startedAt: Date.now() - n * HOUR_MS,
    modelId: `model-${n % 3}`,
    customer: String(1_000 - n),
    sessionId: `s-${n % 50}`,
    agentId: `a-${n % 4}`,
    parentAgentId: 'a-0',
    runId: `r-${n % 9}`,
    turnId: `t-${n}`,
    clientName: n % 2 === 0 ? 'codex' : 'opencode',
    clientVersion: '1',
    memberId: 'mem_1',
    ...(n % 3 > 0 && { sessionTokenId: `tok-${n % 3}` }),
    ...(n % 5 > 0 && { endUserId: `u-${n % 5}` }),
    tags: { team: `team-${n % 3}`, ...(n % 2 === 0 && { "it's": 'x' }) },
  });
}

/** The same from the rows alone. */
async function sumRows({ by = [], since, until, projectId, finishReason }: UsageFilter): Promise<string[]> {
  const groups = by.map((name) =>
    isTime(name)
      ? `to_char(hour AT TIME ZONE 'UTC', '${TIME_GROUPS[name].format}')`
      : `COALESCE(${name === TAG ? "tags ->> 'team'" : columnOf(name as UsageDimension)}, '')`,
  );
  const { rows } = await fresh.database.query<{ line: string }>({
    text: `SELECT concat_ws(' ', ${[...groups, 'count(*)', 'sum(customer_cost)', 'sum(output_text)'].join(', ')}) AS line
      FROM (SELECT *, usage_hour_of(started_at) AS hour FROM request_log) AS l
      WHERE hour >= usage_hour_of(to_timestamp($1::float8 / 1000)) AND started_at < to_timestamp($2::float8 / 1000)
        AND ($3::text IS NULL OR project_id = $3)
        AND ($4::text IS NULL OR finish_reason = $4 OR $4 = 'error' AND finish_reason LIKE '%error')
      ${groups.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${groups.join(', ')}`}`,
    values: [
      since ?? 0,
      until === undefined ? 1e13 : Math.ceil(until / HOUR_MS) * HOUR_MS,
      projectId ?? null,
      finishReason ?? null,
    ],
  });
  return rows.map(({ line }) => line).sort();
}

const count = async (counted: string, table: string): Promise<bigint> => {
  const text = `SELECT count(${counted}) AS n FROM ${table}`;
  return (await fresh.database.query<{ n: bigint }>({ text })).rows[0]?.n ?? 0n;
};

test('whatever the span and the grouping, usage is the sum of the rows', async () => {
  const tables = ['', '_client', '_tag', '_session', '_agent', '_agent_name', '_run'];
  const tagged = ['_tag_agent', '_tag_parent', '_tag_user', '_tag_token'];
  const [days = 0n, ...others] = await Promise.all(
    [...tables, ...tagged].map((name) => count('DISTINCT day', `usage_day${name}`)),
  );
  assert.ok(days > 0n);
  assert.deepEqual(new Set(others), new Set([days]));
  assert.equal(await count('*', 'usage_late'), 1n);
  const names: readonly UsageGroup[] = [...USAGE_GROUPS, TAG];
  const next = createSeededRandom(7);
  const pick = (most: number): number => Math.floor(next() * most);
  for (let turn = 0; turn < TURNS; turn += 1) {
    // Two names have sums of their own, more of them mostly those with every name.
    const by =
      turn % 2 === 0
        ? names.filter(() => pick(5) === 0)
        : [...new Set([names[pick(names.length)] ?? TAG, names[pick(names.length)] ?? TAG])];
    const now = Date.now();
    const since = now - pick(DAYS * 24) * HOUR_MS - pick(HOUR_MS);
    const filter: UsageFilter = {
      by,
      top: 10_000,
      ...(pick(4) > 0 && { since }),
      ...(pick(3) > 0 && { until: since + pick(96) * HOUR_MS + pick(HOUR_MS) }),
      ...(pick(3) === 0 && { projectId: 'prj_0_1' }),
      ...(pick(4) === 0 && { finishReason: pick(2) === 0 ? 'error' : 'upstream_error' }),
    };
    const { lines } = await usage.report(filter, 'all');
    assert.deepEqual(
      lines
        .map(({ group, requests, customer, usage: parts }) =>
          [...by.map((name) => group[name]), requests, customer, parts.outputText].join(' '),
        )
        .sort(),
      await sumRows(filter),
      JSON.stringify(filter),
    );
  }
});

/** How often a report of whole days scans the lines that have every name, and those of agents with their sessions. */
async function countScans(by: readonly UsageGroup[]): Promise<number> {
  const dayMs = 24 * HOUR_MS;
  const until = Math.floor(Date.now() / dayMs - 4) * dayMs;
  const text = `SELECT sum(pg_stat_get_xact_numscans(oid))::int AS count FROM pg_class
    WHERE oid IN (SELECT unnest(ARRAY[i.indrelid, i.indexrelid]) FROM pg_index i
      WHERE i.indrelid IN ('usage_detail'::regclass, 'usage_day_agent'::regclass))`;
  const session = await fresh.database.openSession(); // a new one: it has counted nothing yet
  try {
    await session.query({ text: 'BEGIN' });
    const transaction = <Result>(run: (client: Queryable) => Promise<Result>): Promise<Result> =>
      run(session);
    const reader = createUsageReader({ database: { ...fresh.database, transaction } });
    assert.ok((await reader.report({ by, until }, ACME)).lines.length > 0);
    return (await session.query<{ count: number }>({ text })).rows[0]?.count ?? 0;
  } finally {
    await session.close();
  }
}

test('usage by agent, run or turn is read from sums of their own', async () => {
  for (const by of [['agent'], ['run'], ['turn'], ['turn', 'run'], ['agent', 'model']] as const)
    assert.equal(await countScans(by), 0);
  assert.notEqual(await countScans(['agent', 'session']), 0);
});

test('usage by agent, parent agent, end user or token is read from sums of their own, whichever few names it is divided by', async () => {
  for (const name of ['agent', 'parent-agent', 'user', 'token'] as const)
    for (const other of [TAG, 'finish', 'cache-miss', 'client', 'day'] as const)
      assert.equal(await countScans([name, other]), 0, `${name}, ${other}`);
  assert.notEqual(await countScans(['token', 'run']), 0);
});

test('of many groups the most expensive get a line each, and the others one, in every span of time', async () => {
  const whole = await usage.report({ by: ['session'], top: 10_000, endUserId: 'u-1' }, ACME);
  const few = await usage.report({ by: ['session'], top: 3, endUserId: 'u-1' }, ACME);
  assert.deepEqual(few.lines.slice(0, 3), whole.lines.slice(0, 3));
  assert.deepEqual(
    few.lines.map(({ isOther, group }) => [isOther, group.session === '']),
    [
      [false, false],
      [false, false],
      [false, false],
      [true, true],
    ],
  );
  assert.deepEqual(few.total, whole.total);
  const days = await usage.report({ by: ['day', 'session'], top: 3, endUserId: 'u-1' }, ACME);
  assert.deepEqual(days.total, whole.total);
  const named = new Set(days.lines.flatMap(({ isOther, group }) => (isOther ? [] : [group.session])));
  assert.deepEqual(
    [...named].sort(),
    few.lines
      .slice(0, 3)
      .map(({ group }) => group.session)
      .sort(),
  );
  const spans = days.lines.filter(({ isOther }) => isOther).map(({ group }) => group.day);
  assert.equal(new Set(spans).size, spans.length);
});

test('of any two names the most expensive combinations are listed, whichever is ranked first', async () => {
  const names = ['session', 'turn', 'user', 'agent', 'model', 'client', TAG] as const;
  const pairs = names.flatMap((one, at) =>
    names.slice(at + 1).map((two): [UsageGroup, UsageGroup] => [one, two]),
  );
  for (const by of pairs) {
    const whole = await usage.report({ by, top: 10_000 }, ACME);
    for (const top of [1, 3, 7]) {
      const few = await usage.report({ by, top }, ACME);
      assert.deepEqual(few.lines.slice(0, top), whole.lines.slice(0, top), `${by.join(', ')}: ${top}`);
      assert.deepEqual(few.total, whole.total);
    }
  }
});

test('usage is summed by the value of a tag, with any other group', async () => {
  const { lines, total } = await usage.report({ by: ['tag:team', 'client'], clientName: 'codex' }, ACME);
  assert.deepEqual(lines.map(({ group, requests }) => [group['tag:team'], group.client, requests]).sort(), [
    ['team-0', 'codex', 34],
    ['team-1', 'codex', 33],
    ['team-2', 'codex', 33],
  ]);
  assert.equal(total?.requests, 100);
  const { lines: quoted } = await usage.report({ by: ["tag:it's"], sessionId: 's-1' }, ACME);
  assert.deepEqual(
    quoted.map(({ group, requests }) => [group["tag:it's"], requests]),
    [['', 4]],
  );
});

test('another organization sees none of it', async () => {
  for (const by of [['session'], ['tag:team'], ['run', 'day']] as const)
    assert.deepEqual(await usage.report({ by, endUserId: 'u-1' }, { organizationId: 'org_1' }), {
      lines: [],
      total: undefined,
    });
});
