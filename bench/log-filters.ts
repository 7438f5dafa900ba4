import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createTimedIdentifier } from '#base';
import { type LogFilter, createLogs } from '#logs';
import type { Session } from '#storage';
import { fillLog } from '../test/support/fill-log.ts';
import { createRow } from '../test/support/fresh-accounts.ts';
import { openFreshDatabase } from '../test/support/fresh-database.ts';
import { createStopwatch, toDatabase } from '../test/support/session-stopwatch.ts';

const HELP = `Usage: node bench/log-filters.ts [options]

Pages of the log for every filter and every pair of filters, with all rows in the running month, and what a row costs to
write, with the indexes of a running month and with those of a month that is over.

  --rows <n>            default 1,000,000
  --organizations <n>   how many share them (default 2)
  --share <percent>     of the first organization, whose pages are read (default 98)
  --help                this text
`;
const TURNS = 3;
const WRITTEN = 20_000;
const BATCH = 500;
const LIMIT_MS = 200;

const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    organizations: { type: 'string' },
    share: { type: 'string' },
    help: { type: 'boolean' },
  },
});

/** One value that most rows have or many, one that few have, and one that none has. */
const FILTERS: Record<string, LogFilter> = {
  'no filter': {},
  project: { projectId: 'prj_0_1' },
  'project without rows': { projectId: 'prj_none' },
  key: { keyId: 'key_0_4' },
  'key without rows': { keyId: 'key_none' },
  'common model': { model: 'model-3' },
  'rare model': { model: 'model-11' },
  'model as the client named it': { model: 'client-name-11' },
  'model without rows': { model: 'none' },
  'common provider': { providerId: 'provider-2' },
  'provider without rows': { providerId: 'none' },
  'usual ending': { finishReason: 'completed' },
  'rare ending': { finishReason: 'upstream_error' },
  'ending without rows': { finishReason: 'gateway_error' },
  member: { memberId: 'mem_0' },
  'member without rows': { memberId: 'none' },
  'session token without rows': { sessionTokenId: 'none' },
  session: { sessionId: '' },
  'session without rows': { sessionId: 'none' },
};

/** Those that no index of the running month has: rows are searched one by one. */
const SEARCHED: Record<string, LogFilter> = {
  'client without rows': { clientName: 'none' },
  'agent without rows': { agentId: 'none' },
  'turn without rows': { turnId: 'none' },
  'end user without rows': { endUserId: 'none' },
  'tag without rows': { tag: 'team=none' },
  'user agent': { userAgent: 'claude-cli/2.6' },
  'user agent without rows': { userAgent: 'none' },
  'text without rows': { search: 'nowhere' },
};
const DAY_MS = 86_400_000;

const printRow = (cells: readonly (string | number)[]): void =>
  console.log(`| ${cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell)).join(' | ')} |`);

interface Read {
  name: string;
  cpuMs: number;
}

async function readAll(session: Session): Promise<Read[]> {
  const measure = await createStopwatch(session);
  const logs = createLogs({ database: toDatabase(session) });
  const list = (filter: LogFilter): Promise<unknown> => logs.list(filter, { organizationId: 'org_0' });
  const reads: Read[] = [];
  const add = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    await work();
    const times: number[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) times.push((await measure(work))[0]);
    reads.push({ name, cpuMs: times.toSorted((a, b) => a - b)[1] ?? 0 });
  };
  const names = Object.keys(FILTERS);
  for (const [at, name] of names.entries()) {
    await add(name, () => list(FILTERS[name] ?? {}));
    for (const other of names.slice(at + 1)) {
      const [one, two] = [FILTERS[name], FILTERS[other]];
      if (Object.keys(one ?? {}).some((key) => key in (two ?? {})) || at === 0) continue;
      await add(`${name}, ${other}`, () => list({ ...one, ...two }));
    }
  }
  for (const [name, filter] of Object.entries(SEARCHED)) {
    await add(name, () => list(filter));
    await add(`${name} of a day`, () => list({ ...filter, since: Date.now() - DAY_MS }));
  }
  for (const name of ['no filter', 'project', 'rare model', 'model without rows', 'session'])
    await add(`every organization: ${name}`, () => logs.list(FILTERS[name] ?? {}, 'all'));
  return reads;
}

/** What a row costs PostgreSQL, in microseconds of its processor. */
async function write(session: Session): Promise<number> {
  const measure = await createStopwatch(session);
  await session.query({ text: 'SET synchronous_commit = off' });
  const caller = { keyId: 'key_w', keyLabel: 'w', organizationId: 'org_w', projectId: 'prj_w' };
  let ms = 0;
  for (let at = 0; at < WRITTEN; at += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, n) =>
      createRow(caller, createTimedIdentifier('req', Date.now() + at + n)),
    );
    const text = JSON.stringify(rows);
    ms += (await measure(() => session.query({ text: 'SELECT request_log_store($1)', values: [text] })))[0];
  }
  return (ms * 1_000) / WRITTEN;
}

/** The indexes before the running month had few. */
const EARLIER = `
  DROP INDEX request_log_organization, request_log_blocks;
  CREATE INDEX ON request_log (organization_id, started_at DESC, request_id DESC, member_id, session_token_id);
  CREATE INDEX ON request_log (project_id, started_at DESC, request_id DESC);
  CREATE INDEX ON request_log (started_at DESC, request_id DESC);
  CREATE INDEX ON request_log (organization_id, model_id, started_at DESC, request_id DESC);
  CREATE INDEX ON request_log (organization_id, requested_model, started_at DESC, request_id DESC) WHERE requested_model IS DISTINCT FROM model_id;
  CREATE INDEX ON request_log (organization_id, finish_reason, started_at DESC, request_id DESC)
    WHERE finish_reason NOT IN ('completed', 'tool_calls');
  CREATE INDEX ON request_log (session_id, started_at DESC, request_id DESC) WHERE session_id IS NOT NULL;
  CREATE INDEX ON request_log USING brin (closed_at) WITH (pages_per_range = 16, autosummarize = on)`;

async function main(): Promise<void> {
  const [rows, organizations, share] = [
    values.rows ?? '1000000',
    values.organizations ?? '2',
    values.share ?? '98',
  ].map(Number);
  await using fresh = await openFreshDatabase();
  const { database } = fresh;
  const days = new Date().getUTCDate() - 1;
  await fillLog(database, { rows: rows ?? 0, days, organizations: organizations ?? 2, share: share ?? 98 });
  console.log(
    `node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}; ${rows} rows in ${days} days, ${share} % of them of one of ${organizations} organizations`,
  );
  const session = await database.openSession();
  await session.query({ text: 'SET max_parallel_workers_per_gather = 0' });
  await session.query({ text: 'SET jit = off' });
  const some = await session.query<{ id: string }>({
    text: `SELECT session_id AS id FROM request_log WHERE organization_id = 'org_0' AND started_at < now() - interval '5 days' LIMIT 1`,
  });
  FILTERS['session'] = { sessionId: some.rows[0]?.id ?? '' };
  const reads = await readAll(session);
  const late = reads.filter(({ cpuMs }) => cpuMs > LIMIT_MS);
  printRow(['filter', 'ms of the processor']);
  printRow(['---', '---']);
  for (const { name, cpuMs } of reads.filter(({ name }) => !name.includes(', '))) printRow([name, cpuMs]);
  const pairs = reads.filter(({ name }) => name.includes(', ')).toSorted((a, b) => b.cpuMs - a.cpuMs);
  for (const { name, cpuMs } of pairs.slice(0, 3))
    printRow([`slowest of ${pairs.length} pairs: ${name}`, cpuMs]);
  console.log(`${late.length} of ${reads.length} over ${LIMIT_MS} ms`);
  const now = await write(session);
  await session.query({ text: EARLIER });
  const before = await write(session);
  console.log(
    `a row costs ${now.toFixed(1)} µs to write, with the indexes of before ${before.toFixed(1)} µs`,
  );
  await session.close();
}

if (values.help === true) console.log(HELP);
else await main();
