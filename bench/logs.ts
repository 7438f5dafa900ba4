import { cpus } from 'node:os';
import { createTimedIdentifier } from '#base';
import { LogUpkeep, createLogs, createUsageReader } from '#logs';
import type { Database } from '#storage';
import { createRow } from '../test/support/fresh-accounts.ts';
import { fillLog } from '../test/support/fill-log.ts';
import { openFreshDatabase } from '../test/support/fresh-database.ts';

/** Measures log queries at a million rows, and how dropping a month affects concurrent writers. */
const ROWS = Number(process.argv[2] ?? 1_000_000);
const DAYS = 180;
const TURNS = 15;
const DAY_MS = 86_400_000;
const NONE = { maxAgeDays: 4_000, maxBytes: Number.MAX_SAFE_INTEGER };

type Work = () => Promise<unknown>;

function middleOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

async function time(work: Work): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function printRow(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell)).join(' | ')} |`);
}

async function printTimes(name: string, work: Work): Promise<void> {
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) times.push(await time(work));
  printRow([name, middleOf(times), Math.max(...times)]);
}

async function printReads(database: Database): Promise<void> {
  const logs = createLogs({ database });
  const usage = createUsageReader({ database });
  const big = { organizationId: 'org_0' };
  const now = Date.now();
  const middle = { startedAt: now - 90 * DAY_MS, requestId: 'req_' };
  const [row] = await logs.list({ limit: 1, before: middle }, big);
  const month = { since: now - 60 * DAY_MS, until: now - 30 * DAY_MS };
  const reads: [string, Work][] = [
    ['a page, newest', () => logs.list({}, big)],
    ['a page, three months back', () => logs.list({ before: middle }, big)],
    ['a page of every organization', () => logs.list({}, 'all')],
    ['by project', () => logs.list({ projectId: 'prj_0_1' }, big)],
    ['by key', () => logs.list({ keyId: 'key_0_4' }, big)],
    ['by a common model', () => logs.list({ model: 'model-3' }, big)],
    ['by a rare model', () => logs.list({ model: 'model-11' }, big)],
    ['by a rare model as the client named it', () => logs.list({ model: 'client-name-11' }, big)],
    ['by a rare model, every organization', () => logs.list({ model: 'model-11' }, 'all')],
    ['by a rare ending', () => logs.list({ finishReason: 'upstream_error' }, big)],
    ['by an ending that never was', () => logs.list({ finishReason: 'gateway_error' }, big)],
    ['by session', () => logs.list({ sessionId: row?.sessionId ?? '' }, big)],
    ['by session, every organization', () => logs.list({ sessionId: row?.sessionId ?? '' }, 'all')],
    ['by member', () => logs.list({ memberId: 'mem_0' }, big)],
    ['by user agent', () => logs.list({ userAgent: 'claude-cli/2.6' }, big)],
    ['by text, of a week', () => logs.list({ search: 'answered late 13', since: now - 7 * DAY_MS }, big)],
    ['by a day', () => logs.list({ since: now - 50 * DAY_MS, until: now - 49 * DAY_MS }, big)],
    ['one request by its id', () => logs.find(row?.requestId ?? '', big)],
    ["a month's cost per model, one organization", () => usage.report({ ...month, by: ['model'] }, big)],
    ["a month's cost per model, every organization", () => usage.report({ ...month, by: ['model'] }, 'all')],
    ['cost per day, all of it', () => usage.report({ by: ['day'] }, 'all')],
  ];
  printRow(['read', 'p50 ms', 'slowest ms']);
  printRow(['---', '---', '---']);
  for (const [name, work] of reads) await printTimes(name, work);
}

/** Writes rows one after the other until stopped. */
function writeRows(database: Database): { stop(): Promise<number[]> } {
  const caller = { keyId: 'key_w', keyLabel: 'w', organizationId: 'org_w', projectId: 'prj_w' };
  const times: number[] = [];
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const row = createRow(caller, createTimedIdentifier('req', Date.now()));
      const text = JSON.stringify([row]);
      times.push(
        await time(() =>
          database.query({ text: 'SELECT request_log_store($1)', values: [text], name: 'store' }),
        ),
      );
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await writing;
      return times.toSorted((a, b) => a - b);
    },
  };
}

async function printWrites(database: Database, name: string, meanwhile: Work): Promise<void> {
  const writer = writeRows(database);
  const took = await time(meanwhile);
  const times = await writer.stop();
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0;
  printRow([name, took, String(times.length), at(0.5), at(0.99), at(1)]);
}

await using fresh = await openFreshDatabase();
const { database } = fresh;
console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`);
console.log(
  `${ROWS} rows over ${DAYS} days in ${((await time(() => fillLog(database, { rows: ROWS, days: DAYS }))) / 1000).toFixed(0)} s`,
);
const upkeep = (limits = NONE): LogUpkeep =>
  new LogUpkeep({ database, limits, onFault: (error) => console.error(error) });
console.log(`usage counted in ${((await time(() => upkeep().pass())) / 1000).toFixed(1)} s`);
await database.query({ text: 'ANALYZE usage_hour' });
const [size] = (
  await database.query<{ log: string; usage: string }>({
    text: `SELECT pg_size_pretty(sum(bytes)) AS log, pg_size_pretty(pg_total_relation_size('usage_hour')) AS usage
      FROM log_partitions('request_log')`,
  })
).rows;
console.log(`log ${size?.log ?? ''}, usage ${size?.usage ?? ''}\n`);
await printReads(database);
console.log();
printRow(['rows are written while', 'took ms', 'rows', 'p50 ms', 'p99 ms', 'slowest ms']);
printRow(['---', '---', '---', '---', '---', '---']);
await printWrites(
  database,
  'nothing else happens',
  () => new Promise((resolve) => setTimeout(resolve, 3_000)),
);
await printWrites(database, 'three months are dropped', () => upkeep({ ...NONE, maxAgeDays: 90 }).pass());
