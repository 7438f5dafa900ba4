import { cpus } from 'node:os';
import { GatewayError } from '#errors';
import { type UsageFilter, type UsageGroup, LogUpkeep, createSessions, createUsageReader } from '#logs';
import { USAGE_GROUPS } from '../src/logs/usage/usage-groups.ts';
import { openFreshDatabase } from '../test/support/fresh-database.ts';
import { createStopwatch, toDatabase } from '../test/support/session-stopwatch.ts';

/**
 * Measures sums of usage by the names of requests: rows of sessions of ten requests each with three agents and six turns, a
 * tenth as many end users as sessions, over thirty days. `--all` also measures every name, every two names, and each with a
 * span of time, and lists what takes longer than 200 ms at the end.
 */
const ROWS = Number(process.argv[2] ?? 1_000_000);
const IS_ALL = process.argv.includes('--all');
const DAYS = 30;
const TURNS = 5;
const LIMIT_MS = 200;
const BATCH = 50_000;

const INSERT = `
  INSERT INTO request_log (request_id, organization_id, project_id, key_id, started_at, endpoint, format, stream, requested_model,
    model_id, provider_id, external_id, finish_reason, status, cached, estimated, input_uncached, input_cache_read,
    input_cache_write_5m, input_cache_write_1h, input_audio, output_text, output_reasoning, output_audio, web_searches,
    customer_cost, provider_cost, price_version, attempts, duration_ms, closed_at, session_id, agent_id, end_user_id, client_name,
    client_version, user_agent, member_id, tags, parent_agent_id, run_id, turn_id, session_token_id, miss_reason)
  SELECT 'req_' || lpad(n::text, 10, '0') || left(md5(n::text), 16), 'org_1', 'prj_' || s % 3, 'key_' || s % 20,
    now() - make_interval(secs => (($1::bigint - n) * $2::float8 * 86400 / $1::bigint)), '/v1/messages', 'messages', true,
    'm', 'model-' || s % 5, 'provider-' || s % 5, 'm', 'tool_calls', 200, false, false, h % 9000, h % 50000, h % 500, 0, 0, h % 800,
    h % 300, 0, 0, h::bigint * 1003, h::bigint * 1003, 'v',
    '[{"providerId": "p", "externalId": "m", "outcome": "answered", "durationMs": 900}]', 900, now(),
    'session-' || md5(s::text), CASE WHEN n % 3 > 0 THEN 'agent-' || s || '-' || n % 3 END, 'user-' || s % 10000,
    (ARRAY['claude-code', 'codex', 'opencode'])[1 + s % 3], '2.1.' || s % 9, 'claude-cli/2.1.0', 'mem_' || s % 20,
    jsonb_build_object('team', 'team-' || s % 12, 'env', 'env-' || s % 3),
    CASE WHEN n % 3 = 2 THEN 'agent-' || s || '-1' END, 'run-' || s, 'turn-' || s || '-' || n / 500 % 2,
    CASE WHEN s % 3 = 1 THEN 'tok-' || s % 10000 END, CASE WHEN n % 20 = 0 THEN 'tools_changed' END
  FROM generate_series($3::bigint, $4::bigint) AS n
  CROSS JOIN LATERAL (SELECT abs(hashint8(n)) AS h, (n / 1000 * 100 + n % 100)::int AS s) AS made`;

/** A session of 500 turns of three requests, among those of others. */
const LONG = `UPDATE request_log SET session_id = 'session-long', turn_id = 'turn-' || n / 60
  FROM (SELECT request_id AS id, substr(request_id, 5, 10)::bigint - $1::bigint + 30000 AS n FROM request_log) AS numbered
  WHERE request_id = id AND n >= 0 AND n % 20 = 0`;

const REPORTS: Record<string, UsageFilter> = {
  total: {},
  'by session': { by: ['session'] },
  'by end user': { by: ['user'] },
  'by member': { by: ['member'] },
  'by client': { by: ['client'] },
  'by agent': { by: ['agent'] },
  'by session and model': { by: ['session', 'model'] },
  'by end user and client': { by: ['user', 'client'] },
  'by day and client': { by: ['day', 'client'] },
  'by hour and client': { by: ['hour', 'client'] },
  'by month and member': { by: ['month', 'member'] },
  'by end user, of one client': { by: ['user'], clientName: 'codex' },
  'one session by agent': { by: ['agent'], sessionId: '' },
  'by tag:team': { by: ['tag:team'] },
  'by tag:team and tag:env': { by: ['tag:team', 'tag:env'] },
  'by hour and tag:team': { by: ['hour', 'tag:team'] },
  'by hour and session': { by: ['hour', 'session'] },
  'by turn': { by: ['turn'] },
  'by run': { by: ['run'] },
  'by tag:team and session': { by: ['tag:team', 'session'] },
};

await using fresh = await openFreshDatabase();
const { database } = fresh;
console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`);
const begin = performance.now();
await database.query({ text: "INSERT INTO organization (id, name) VALUES ('org_1', 'one')" });
await database.query({
  text: `SELECT log_partition_make('request_log', 'started_at', m)
    FROM generate_series(log_month(now() - make_interval(days => ${DAYS})), now(), interval '1 month') AS m`,
});
for (let from = 0; from < ROWS; from += BATCH) {
  const values = [ROWS, DAYS, from, Math.min(ROWS, from + BATCH) - 1];
  await database.query({ text: INSERT, values });
}
const session = await database.openSession();
await session.query({ text: 'SET statement_timeout = 0' });
await session.query({ text: LONG, values: [ROWS] });
await session.query({ text: 'VACUUM (ANALYZE) request_log' });
console.log(`${ROWS} rows in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
const listTables = async (): Promise<{ name: string; lines: number; size: string }[]> =>
  (
    await session.query<{ name: string; lines: number; size: string }>({
      text: `SELECT relname AS name, reltuples::int4 AS lines, pg_size_pretty(pg_total_relation_size(oid)) AS size
        FROM pg_class WHERE relkind = 'r' AND relname ~ '^(usage_(day|hour|detail)|request_log_20)' AND reltuples <> 0 ORDER BY relname`,
    })
  ).rows;
const counting = performance.now();
const limits = { maxAgeDays: 4_000, maxBytes: Number.MAX_SAFE_INTEGER };
await new LogUpkeep({ database, limits, onFault: (error) => console.error(error) }).pass();
for (const { name } of await listTables()) await session.query({ text: `VACUUM (ANALYZE) ${name}` });
console.log(`counted in ${((performance.now() - counting) / 1_000).toFixed(0)} s`);
for (const { name, lines, size } of await listTables())
  console.log(`${name.padEnd(20)} ${lines} lines, ${size}`);
const [one] = (
  await session.query<{ id: string }>({ text: 'SELECT session_id AS id FROM request_log LIMIT 1' })
).rows;

const measure = await createStopwatch(session);
const print = async (name: string, work: () => Promise<unknown>): Promise<void> => {
  const times: [number, number][] = [];
  for (let turn = 0; turn < TURNS; turn += 1) times.push(await measure(work));
  const [cpuMs, wallMs] = times.toSorted(([a], [b]) => a - b)[0] ?? [0, 0];
  console.log(`${name.padEnd(30)} ${cpuMs.toFixed(0)} ms of PostgreSQL’s processor, ${wallMs.toFixed(0)} ms`);
};
/** Infinite for a report that reaches the limit of one. */
const timeOf = async (by: readonly UsageGroup[]): Promise<number> => {
  try {
    return (await measure(() => usage.report({ by }, { organizationId: 'org_1' })))[0];
  } catch (error) {
    if (error instanceof GatewayError) return Infinity;
    throw error;
  }
};
const measureAll = async (): Promise<void> => {
  const names = [...USAGE_GROUPS, 'tag:team'] as UsageGroup[];
  const pairs = names.flatMap((one, at) => [[one], ...names.slice(at + 1).map((two) => [one, two])]);
  const slow: [string, number][] = [];
  for (const by of pairs) {
    let least = Infinity;
    for (let turn = 0; turn < 3 && least >= LIMIT_MS; turn += 1) least = Math.min(least, await timeOf(by));
    if (least >= LIMIT_MS) slow.push([by.join(', '), least]);
  }
  for (const [name, ms] of slow.toSorted(([, a], [, b]) => b - a)) {
    const time = Number.isFinite(ms) ? `${ms.toFixed(0)} ms of PostgreSQL’s processor` : 'reaches the limit';
    console.log(`${name.padEnd(30)} ${time}`);
  }
  console.log(`${slow.length} of ${pairs.length} take longer than ${LIMIT_MS} ms`);
};
const usage = createUsageReader({ database: toDatabase(session) });
for (const [name, report] of Object.entries(REPORTS)) {
  const filter = report.sessionId === undefined ? report : { ...report, sessionId: one?.id ?? '' };
  await print(name, () => usage.report(filter, { organizationId: 'org_1' }));
}
const sessions = createSessions({ database: toDatabase(session) });
const tree = await sessions.find('session-long', { organizationId: 'org_1' });
const turns = tree?.main.turns.length ?? 0;
await print(`tree of ${turns} turns`, () => sessions.find('session-long', { organizationId: 'org_1' }));
if (IS_ALL) await measureAll();
await session.close();
