import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PicoUsd } from '#base';
import { type FreshAccounts, openFreshAccounts } from './fresh-accounts.ts';
import { LedgerProcess, type Spending } from './ledger-process.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type TemporaryFolder, createTemporaryFolder } from './temporary.ts';
import { until } from './until.ts';

interface LostDiskPlan {
  seed: number;
  rounds: number;
  report?(line: string): void;
}

interface LostDiskFigures {
  rounds: number;
  /** Requests that reached a provider. */
  billed: number;
  /** Of which no entry exists. */
  forgotten: number;
  /** What the operator was booked for them, and what their providers billed. */
  lost: PicoUsd;
  missing: PicoUsd;
}

const REPLICAS = 3;
const CLIENTS = 16;
const BUSY = 20;
const AMOUNT = 1_000n;
const LIMIT = 500n * AMOUNT;
/** The first one is lost after at most this many requests. */
const MOST_BEFORE = 120;

/** In each round one of three replicas is lost with its disk while all spend one budget. Throws where a guarantee is broken. */
export async function runLostDiskPlan({ seed, rounds, report }: LostDiskPlan): Promise<LostDiskFigures> {
  using folder = createTemporaryFolder();
  await using fresh = await openFreshAccounts();
  await using stack = new AsyncDisposableStack();
  const random = createSeededRandom(seed);
  const replicas = stack.use(new Replicas(fresh, folder));
  const figures: LostDiskFigures = { rounds, billed: 0, forgotten: 0, lost: 0n, missing: 0n };
  for (let number = 1; number <= rounds; number += 1) {
    await runRound({ fresh, replicas, random, figures });
    report?.(`round ${number}/${rounds}: ${figures.billed} billed, ${figures.forgotten} forgotten`);
  }
  return figures;
}

/** Three processes; a lost one is replaced. */
class Replicas implements AsyncDisposable {
  readonly #fresh: FreshAccounts;
  readonly #folder: TemporaryFolder;
  #running: LedgerProcess[] = [];
  #serial = 0;

  constructor(fresh: FreshAccounts, folder: TemporaryFolder) {
    this.#fresh = fresh;
    this.#folder = folder;
  }

  async complete(): Promise<readonly LedgerProcess[]> {
    while (this.#running.length < REPLICAS) {
      this.#serial += 1;
      const folder = join(this.#folder.path, String(this.#serial));
      const { connection } = this.#fresh.fresh;
      this.#running.push(await LedgerProcess.start({ connection, folder, truthFile: `${folder}.truth` }));
    }
    return this.#running;
  }

  /** What the providers of a process have billed, by request. */
  readTruth({ folder }: LedgerProcess): Map<string, PicoUsd> {
    const lines = readLines(`${folder}.truth`).map((line) => line.split(' '));
    return new Map(lines.map(([id = '', cost = '0']) => [id, BigInt(cost)]));
  }

  /** Its machine is gone, and the others notice it at once. */
  async lose(lost: LedgerProcess): Promise<void> {
    await lost.kill();
    rmSync(lost.folder, { recursive: true });
    this.#running = this.#running.filter((one) => one !== lost);
    const text = `UPDATE owner SET heartbeat_at = '-infinity' WHERE note = $1`;
    await this.#fresh.database.query({ text, values: [lost.folder] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#running) await one[Symbol.asyncDispose]();
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return []; // it has not billed yet
  }
}

interface Stage {
  fresh: FreshAccounts;
  replicas: Replicas;
  random: () => number;
  figures: LostDiskFigures;
}

async function runRound({ fresh, replicas, random, figures }: Stage): Promise<void> {
  const spending = await createSpending(fresh, random);
  const running = await replicas.complete();
  const before = running.map((one) => replicas.readTruth(one).size);
  const lostBefore = await fresh.accounts.ledger.sumLost();
  await Promise.all(running.map((one) => one.run({ t: 'use', spending, count: BUSY })));
  const [victim, ...others] = running as [LedgerProcess, ...LedgerProcess[]];
  const afterRequests = (before[0] ?? 0) + BUSY + Math.floor(random() * MOST_BEFORE);
  victim.order({ t: 'spend', spending, clients: CLIENTS });
  const spent = others.map((one) => one.run({ t: 'spend', spending, clients: CLIENTS }));
  await until('it has served enough', () => replicas.readTruth(victim).size >= afterRequests, 1);
  await replicas.lose(victim);
  await fresh.accounts.ledger.sweep();
  const answers = await Promise.all(spent);
  for (const left of answers.flatMap(({ leftWhenRefused }) => leftWhenRefused))
    if (left >= spending.amount) throw new Error(`a request was refused while ${left} was left`);
  const bills = running.flatMap((one, at) => [...replicas.readTruth(one)].slice(before[at]));
  const { forgotten, missing } = await findMissing(fresh, spending, bills);
  const lost = (await fresh.accounts.ledger.sumLost()) - lostBefore;
  if (missing > lost) throw new Error(`${missing} is missing, ${lost} is booked as lost`);
  figures.billed += bills.length;
  figures.forgotten += forgotten;
  figures.lost += lost;
  figures.missing += missing;
}

async function createSpending({ accounts, caller }: FreshAccounts, random: () => number): Promise<Spending> {
  const { projectId } = caller;
  const { secret } = await accounts.directory.createKey({ projectId, label: 'round', limit: LIMIT });
  const cost = BigInt(Math.ceil(Number(AMOUNT) * (0.3 + 0.7 * random())));
  return { caller: await accounts.identify(secret), amount: AMOUNT, cost };
}

/** Waits for the last reports and checks the sums. What has no entry may also have been billed to an open hold, as an estimate. */
async function findMissing(
  { accounts, database }: FreshAccounts,
  { caller, amount }: Spending,
  bills: readonly (readonly [string, PicoUsd])[],
): Promise<{ forgotten: number; missing: PicoUsd }> {
  const meter = `SELECT used::text, held::text FROM meter WHERE kind = 'key' AND subject_id = $1`;
  const read = async (): Promise<{ used: string; held: string }> =>
    (await database.query<{ used: string; held: string }>({ text: meter, values: [caller.keyId] }))
      .rows[0] ?? {
      used: '0',
      held: '-1',
    };
  await until('everything is reported', async () => (await read()).held === '0');
  const used = BigInt((await read()).used);
  if (used > LIMIT) throw new Error(`${used} is used of ${LIMIT}`);
  if (LIMIT - used >= amount) throw new Error(`${LIMIT - used} is left`);
  const differences = await accounts.ledger.check();
  if (differences.length > 0) throw new Error(JSON.stringify(differences.slice(0, 3)));
  const { rows } = await database.query<{ id: string; customer: string }>({
    text: `SELECT request_id AS id, sum(customer)::text AS customer FROM ledger_entry WHERE request_id = ANY ($1) GROUP BY 1`,
    values: [bills.map(([id]) => id)],
  });
  const booked = new Map(rows.map(({ id, customer }) => [id, BigInt(customer)]));
  for (const [id, cost] of bills)
    if ((booked.get(id) ?? 0n) > cost) throw new Error(`${id} is booked with more than its ${cost}`);
  const forgotten = bills.filter(([id]) => !booked.has(id));
  return { forgotten: forgotten.length, missing: forgotten.reduce((sum, [, cost]) => sum + cost, 0n) };
}
