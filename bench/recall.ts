import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Caller, createAccounts } from '#accounts';
import { systemClock } from '#base';
import { openFreshDatabase } from '../test/support/fresh-database.ts';
import { LedgerProcess } from '../test/support/ledger-process.ts';
import { toPercentiles } from '../test/support/percentiles.ts';
import { createTemporaryFolder } from '../test/support/temporary.ts';
import { createCallers } from './create-callers.ts';

const HELP = `Usage: node bench/recall.ts [options]

How long a request waits for its hold where another process has what is left of the budget on a lease: the lease is recalled,
what was spent on it is reported, and the rest comes back. On an embedded PostgreSQL, or on that of DATABASE_URL.

  --rounds <n>  recalls that are measured (default 100)
  --help        this text
`;

const AMOUNT = 1_000_000n;
const LIMIT = 1_000n * AMOUNT;
const CLIENTS = 4;
/** The first process spends so long before the second asks. */
const SPEND_MS = 300;
/** Between the requests of a client. */
const PACE_MS = 20;

const { values } = parseArgs({ options: { rounds: { type: 'string' }, help: { type: 'boolean' } } });

async function main(): Promise<void> {
  await using fresh = await openFreshDatabase(process.env['DATABASE_URL']);
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(createTemporaryFolder());
  const secret = Buffer.alloc(32, 7);
  const accounts = createAccounts({
    database: fresh.database,
    clock: systemClock,
    secret,
    exclusive: false,
  });
  const start = async (name: string): Promise<LedgerProcess> =>
    stack.use(await LedgerProcess.start({ connection: fresh.connection, folder: join(folder.path, name) }));
  const [one, other] = [await start('one'), await start('other')];
  const waits: number[] = [];
  for (let round = 0; round < Number(values.rounds ?? 100); round += 1) {
    const [caller] = (await createCallers(accounts, { keys: 1, limit: LIMIT })) as [Caller];
    const spending = { caller, amount: AMOUNT, cost: AMOUNT, durationMs: PACE_MS };
    const { spent } = await one.run({ t: 'spend', spending, clients: CLIENTS, forMs: SPEND_MS });
    const rest = { caller, amount: LIMIT - spent, cost: 0n };
    const { served, slowestMs } = await other.run({ t: 'use', spending: rest, count: 1 });
    if (served !== 1) throw new Error(`round ${round + 1}: what is left was refused`);
    waits.push(slowestMs);
  }
  const { p50, p99, longest } = toPercentiles(waits);
  console.log(
    `${waits.length} recalls: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, at most ${longest.toFixed(1)} ms`,
  );
}

if (values.help) console.log(HELP);
else await main();
