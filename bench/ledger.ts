import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Accounts, type Caller, createAccounts } from '#accounts';
import { systemClock } from '#base';
import { type Database, Journal } from '#storage';
import { silentLog } from '#telemetry';
import { createRow } from '../test/support/fresh-accounts.ts';
import { createTemporaryFolder } from '../test/support/temporary.ts';
import { openFreshDatabase } from '../test/support/fresh-database.ts';
import { LedgerProcess } from '../test/support/ledger-process.ts';
import { toPercentiles } from '../test/support/percentiles.ts';
import { createCallers } from './create-callers.ts';

const HELP = `Usage: node bench/ledger.ts [options]

What the ledger adds to a request: the hold before it is sent on and the settlement before its last byte, in milliseconds,
and the SQL statements of both, with PostgreSQL's processor time in microseconds if it runs on this machine (Linux). On an
embedded PostgreSQL, and on that of DATABASE_URL if set, in a database of its own that is removed afterwards.

  --seconds <n>   how long each figure is measured (default 3)
  --strict        with \`ledger.durability: strict\`: every request waits until its records are on disk
  --renewing      the limits of the keys renew each day
  --processes <n> instead: this many processes on one key (one organization), with 128 clients together
  --json          one JSON object instead of the table
  --help          this text
`;

const CONCURRENCY = [1, 16, 128];
const KEYS = [1, 1_000];
const WARM_SHARE = 0.2;
const AMOUNT = 1_000_000n;
const LIMIT = 10n ** 18n;
/** For three seconds after a limit has been changed there are no leases. */
const CHANGED_MS = 3_500;

interface Figures {
  store: string;
  keys: number;
  concurrency: number;
  requestsPerSecond: number;
  holdMs: { p50: number; p99: number };
  settleMs: { p50: number; p99: number };
  statementsPerRequest: number;
  /** Processor time of PostgreSQL's connections; absent where it cannot be read. */
  postgresMicros?: number;
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    strict: { type: 'boolean' },
    renewing: { type: 'boolean' },
    processes: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

const KEY = { limit: LIMIT, isRenewing: values.renewing === true };

function toRow(cells: readonly string[]): string {
  return cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(at > 7 ? 15 : 11))).join('');
}

function formatFigures({ store, keys, concurrency, ...rest }: Figures): string {
  const { holdMs, settleMs, requestsPerSecond, statementsPerRequest, postgresMicros } = rest;
  const times = [holdMs.p50, holdMs.p99, settleMs.p50, settleMs.p99].map((ms) => ms.toFixed(2));
  const counts = [String(keys), String(concurrency), requestsPerSecond.toFixed(0)];
  return toRow([
    store,
    ...counts,
    ...times,
    statementsPerRequest.toFixed(3),
    postgresMicros?.toFixed(0) ?? '',
  ]);
}

/** A database that counts its statements. */
function count(real: Database): { database: Database; read(): number } {
  let statements = 0;
  const query: Database['query'] = (statement) => {
    statements += 1;
    return real.query(statement);
  };
  return { database: { ...real, query }, read: () => statements };
}

const TICK_MICROS = 10_000;

/** The processor time of all connections of the database so far. */
async function readPostgresMicros(database: Database): Promise<number | undefined> {
  const text = 'SELECT pid FROM pg_stat_activity WHERE datname = current_database()';
  const { rows } = await database.query<{ pid: number }>({ text });
  try {
    return rows.reduce((sum, { pid }) => sum + readTicks(pid) * TICK_MICROS, 0);
  } catch {
    return undefined; // another machine, or no Linux
  }
}

/** User and system time of a process, from the fields behind its name in parentheses. */
function readTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

async function measureStore(store: string, url: string | undefined, measureMs: number): Promise<Figures[]> {
  await using fresh = await openFreshDatabase(url);
  const { database, read } = count(fresh.database);
  const secret = Buffer.alloc(32, 7);
  using folder = createTemporaryFolder();
  const journal = new Journal({ folder: folder.path, installation: 'bench', log: silentLog });
  await journal.open();
  const durability = values.strict === true ? 'durable' : 'written';
  const accounts = createAccounts({
    database,
    journal,
    durability,
    clock: systemClock,
    secret,
    exclusive: true,
  });
  await accounts.start();
  const figures: Figures[] = [];
  for (const keys of KEYS) {
    const callers = await createCallers(accounts, { ...KEY, keys });
    if (values.renewing) await delay(CHANGED_MS);
    for (const concurrency of CONCURRENCY) {
      const plan = { accounts, callers, concurrency };
      await run(plan, measureMs * WARM_SHARE);
      const before = read();
      const beforeMicros = await readPostgresMicros(fresh.database);
      const { holds, settles } = await run(plan, measureMs);
      const afterMicros = await readPostgresMicros(fresh.database);
      figures.push({
        store,
        keys,
        concurrency,
        requestsPerSecond: holds.length / (measureMs / 1_000),
        holdMs: toPercentiles(holds),
        settleMs: toPercentiles(settles),
        statementsPerRequest: (read() - before) / holds.length,
        ...(beforeMicros !== undefined &&
          afterMicros !== undefined && {
            postgresMicros: (afterMicros - beforeMicros) / holds.length,
          }),
      });
      if (!values.json) console.log(formatFigures(figures.at(-1) as Figures));
    }
  }
  await accounts.close();
  await journal.close();
  return figures;
}

const TOGETHER = 128;
/** Requests of several processes last so long, because all of these share one machine. */
const PACE_MS = 50;

interface SharedFigures {
  store: string;
  processes: number;
  requestsPerSecond: number;
  statementsPerSecond: number;
  statements: Record<string, number>;
  postgresMicros?: number;
}

/** Processes of their own on one key. */
async function measureProcesses(
  store: string,
  url: string | undefined,
  measureMs: number,
): Promise<SharedFigures> {
  await using fresh = await openFreshDatabase(url);
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(createTemporaryFolder());
  const secret = Buffer.alloc(32, 7);
  const accounts = createAccounts({ database: fresh.database, clock: systemClock, secret, exclusive: false });
  const [caller] = await createCallers(accounts, { ...KEY, keys: 1 });
  const count = Number(values.processes);
  const processes: LedgerProcess[] = [];
  for (let number = 0; number < count; number += 1) {
    const options = { connection: fresh.connection, folder: join(folder.path, String(number)) };
    processes.push(stack.use(await LedgerProcess.start(options)));
  }
  const spending = { caller: caller as Caller, amount: AMOUNT, cost: AMOUNT / 2n, durationMs: PACE_MS };
  const spend = (forMs: number) => {
    const order = { t: 'spend', spending, clients: Math.ceil(TOGETHER / count), forMs } as const;
    return Promise.all(processes.map((one) => one.run(order)));
  };
  await spend(Math.max(measureMs * WARM_SHARE, 1_000));
  const beforeMicros = await readPostgresMicros(fresh.database);
  const answers = await spend(measureMs);
  const afterMicros = await readPostgresMicros(fresh.database);
  const requests = answers.reduce((sum, { served }) => sum + served, 0);
  const statements: Record<string, number> = {};
  for (const answer of answers)
    for (const [name, times] of Object.entries(answer.statements))
      statements[name] = (statements[name] ?? 0) + times;
  const all = Object.values(statements).reduce((sum, times) => sum + times, 0);
  return {
    store,
    processes: count,
    requestsPerSecond: requests / (measureMs / 1_000),
    statementsPerSecond: all / (measureMs / 1_000),
    statements,
    ...(beforeMicros !== undefined &&
      afterMicros !== undefined && { postgresMicros: (afterMicros - beforeMicros) / requests }),
  };
}

interface Plan {
  accounts: Accounts;
  callers: readonly Caller[];
  concurrency: number;
}

let serial = 0;

async function run(
  { accounts, callers, concurrency }: Plan,
  forMs: number,
): Promise<{ holds: number[]; settles: number[] }> {
  const { ledger } = accounts;
  const holds: number[] = [];
  const settles: number[] = [];
  const endMs = performance.now() + forMs;
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const requestId = `req_bench_${(serial += 1)}`;
      const caller = callers[serial % callers.length] as Caller;
      const row = createRow(caller, requestId);
      const askedMs = performance.now();
      await ledger.reserve({ requestId, caller, amount: AMOUNT, row });
      const heldMs = performance.now();
      await ledger.settle({
        requestId,
        customer: AMOUNT / 2n,
        provider: AMOUNT / 2n,
        estimated: false,
        row,
      });
      holds.push(heldMs - askedMs);
      settles.push(performance.now() - heldMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  for (const caller of callers.slice(0, 1)) await ledger.catchUp(caller);
  return { holds, settles };
}

async function main(): Promise<void> {
  const measureMs = Number(values.seconds ?? 3) * 1_000;
  const stores: [string, string | undefined][] = [['embedded', undefined]];
  const url = process.env['DATABASE_URL'];
  if (url !== undefined) stores.push(['external', url]);
  if (values.processes !== undefined) {
    for (const [store, address] of stores) {
      const { statements, ...figures } = await measureProcesses(store, address, measureMs);
      console.log(
        values.json ? JSON.stringify({ ...figures, statements }) : figures,
        values.json ? '' : statements,
      );
    }
    return;
  }
  const times = ['hold p50', 'p99', 'settle p50', 'p99'];
  const costs = ['statements', 'PostgreSQL µs'];
  if (!values.json) console.log(toRow(['store', 'keys', 'at once', 'req/s', ...times, ...costs]));
  const figures: Figures[] = [];
  for (const [store, address] of stores) figures.push(...(await measureStore(store, address, measureMs)));
  if (values.json) console.log(JSON.stringify({ figures }));
}

if (values.help) console.log(HELP);
else await main();
