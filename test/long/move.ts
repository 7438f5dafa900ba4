import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openStores } from '#app';
import { silentLog } from '#telemetry';
import { openBooks } from '../support/books.ts';
import { startExternalServer } from '../support/external-server.ts';
import { fillLedger } from '../support/fill-ledger.ts';
import { runKilledMoves } from '../support/move-run.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import type { LongRun } from './long-run.ts';

const ROWS = 5_000_000;
const KILLS = 5;
/** About how many rows a second are moved, so that the kills are spread over the move. */
const ROWS_PER_SECOND = 15_000;

export const runMoves: LongRun = {
  name: 'move',
  summary: `\`sluice database move\` of ${ROWS.toLocaleString('en')} requests, killed ${KILLS} times`,
  async run({ seed, count = ROWS, report }) {
    const random = createSeededRandom(seed);
    using folder = createTemporaryFolder('sluice-move-');
    const dataDir = join(folder.path, 'data');
    const secret = randomBytes(32).toString('hex');
    await using source = await startExternalServer();
    await using target = await startExternalServer();
    await fill({ dataDir, databaseUrl: source.url, secret }, count);
    report(`${count} requests are in the source`);
    const env = { DATABASE_URL: source.url, SLUICE_SECRET: secret, NEW_DATABASE_URL: target.url };
    const order = { dataDir, env, to: 'env:NEW_DATABASE_URL' };
    const spanMs = (count / ROWS_PER_SECOND / KILLS) * 1_000;
    const chooseMs = (): number => 2_000 + random() * spanMs;
    const startedMs = performance.now();
    const { code, stderr } = await runKilledMoves({ order, kills: KILLS, chooseMs, report });
    if (code !== 0) throw new Error(`the last move left with ${code}: ${stderr}`);
    const seconds = (performance.now() - startedMs) / 1_000;
    const [before, after] = [await readSums(source.url), await readSums(target.url)];
    if (before !== after)
      throw new Error(`the books differ: ${before} in the source, ${after} in the target`);
    return `${count} requests moved in ${seconds.toFixed(0)} s with ${KILLS} kills, the books of both sides are ${after}`;
  },
};

async function fill(
  settings: { dataDir: string; databaseUrl: string; secret: string },
  rows: number,
): Promise<void> {
  {
    await using stores = await openStores(settings, { role: 'gateway', log: silentLog });
    await fillLedger(stores, { rows });
  }
  await using books = await openBooks({ url: settings.databaseUrl });
  // The upkeep of the log had counted these months before they were filled.
  await books.database.query({
    text: `UPDATE log_state SET retention_cutoff = '-infinity', counted_through = '-infinity', closed_through = '-infinity'`,
  });
}

async function readSums(url: string): Promise<string> {
  await using books = await openBooks({ url });
  const { rows } = await books.database.query<{ sums: string }>({
    text: `SELECT concat_ws(', ', (SELECT count(*) FROM request_log) || ' requests', (SELECT count(*) FROM ledger_entry) || ' entries',
      (SELECT sum(customer) FROM ledger_entry) || ' pico-USD') AS sums`,
  });
  return rows[0]?.sums ?? '';
}
