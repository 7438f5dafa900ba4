import { join } from 'node:path';
import type { Caller } from '#accounts';
import type { PicoUsd } from '#base';
import { type FreshAccounts, openFreshAccounts } from './fresh-accounts.ts';
import { type LedgerAnswer, LedgerProcess, type Spending } from './ledger-process.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type TemporaryFolder, createTemporaryFolder } from './temporary.ts';

interface RecallPlan {
  seed: number;
  rounds: number;
  report?(line: string): void;
}

interface RecallFigures {
  rounds: number;
  served: number;
  /** Rounds that spent more than their limit. */
  overspent: number;
  /** Refusals of requests that what was left could pay. */
  affordable: number;
  /** Leases that were open when the race for the rest began, and in how many rounds there were any. */
  leases: number;
  leasedRounds: number;
  /** Held in leases at that moment, as a share of what was left. */
  leasedShare: number;
  /** The longest time a request waited for its hold, and the median of the rounds. */
  slowestMs: number;
  medianMs: number;
}

interface Round {
  spending: Spending;
  limit: PicoUsd;
  /** How many processes race for the rest; the others only have leases. */
  racing: number;
}

const PROCESSES = 4;
const CLIENTS = 64;
/** Enough for a lease, then some on the lease. */
const BUSY = 20;
const ON_LEASE = 3;
/** Each of these rounds takes seconds: requests that all need more wait for each other. */
const GROWING_SHARE = 0.04;
const REPORT_EVERY = 25;

const LEASED = `
  SELECT count(*)::int AS count, COALESCE(sum(amount), 0)::text AS held FROM hold h
  WHERE lease AND meter_ids && ARRAY(
    SELECT id FROM meter WHERE subject_id IN ($1, $2))`;

/** Processes that all have leases on a budget race for the rest of it. Throws if the books disagree. */
export async function runRecallPlan({ seed, rounds, report }: RecallPlan): Promise<RecallFigures> {
  using folder = createTemporaryFolder();
  await using fresh = await openFreshAccounts();
  await using stack = new AsyncDisposableStack();
  const random = createSeededRandom(seed);
  // Before the processes start: for three seconds after a grant they take no leases on it.
  const prepared: Round[] = [];
  while (prepared.length < rounds) prepared.push(await createRound(fresh, random));
  const processes = await startProcesses(stack, { fresh, folder });
  const figures: RecallFigures = {
    rounds,
    served: 0,
    overspent: 0,
    affordable: 0,
    leases: 0,
    leasedRounds: 0,
    leasedShare: 0,
    slowestMs: 0,
    medianMs: 0,
  };
  const waits: number[] = [];
  for (const [at, round] of prepared.entries()) {
    waits.push(await runRound(round, { fresh, processes, figures }));
    if ((at + 1) % REPORT_EVERY === 0)
      report?.(`round ${at + 1}/${rounds}: ${figures.served} served, ${figures.leases} leases recalled`);
  }
  figures.medianMs = waits.sort((one, other) => one - other)[Math.floor(waits.length / 2)] ?? 0;
  figures.slowestMs = waits.at(-1) ?? 0;
  figures.leasedShare /= rounds;
  const differences = await fresh.accounts.ledger.check();
  if (differences.length > 0) throw new Error(JSON.stringify(differences.slice(0, 3)));
  return figures;
}

async function startProcesses(
  stack: AsyncDisposableStack,
  { fresh, folder }: { fresh: FreshAccounts; folder: TemporaryFolder },
): Promise<LedgerProcess[]> {
  const processes: LedgerProcess[] = [];
  for (let number = 0; number < PROCESSES; number += 1) {
    const { connection } = fresh.fresh;
    const options = { connection, folder: join(folder.path, String(number)) };
    processes.push(stack.use(await LedgerProcess.start(options)));
  }
  return processes;
}

/** Returns the longest wait for a hold. */
async function runRound(
  { spending, limit, racing }: Round,
  {
    fresh,
    processes,
    figures,
  }: { fresh: FreshAccounts; processes: readonly LedgerProcess[]; figures: RecallFigures },
): Promise<number> {
  const { caller, amount } = spending;
  const answers: LedgerAnswer[] = [];
  for (const count of [BUSY, ON_LEASE])
    answers.push(...(await Promise.all(processes.map((one) => one.run({ t: 'use', spending, count })))));
  const { rows } = await fresh.database.query<{ count: number; held: string }>({
    text: LEASED,
    values: [caller.keyId, caller.organizationId],
  });
  const { count = 0, held = '0' } = rows[0] ?? {};
  figures.leases += count;
  if (count > 0) figures.leasedRounds += 1;
  figures.leasedShare += Number(held) / Number(limit - sumSpent(answers));
  const race = await Promise.all(
    processes.slice(0, racing).map((one) => one.run({ t: 'spend', spending, clients: CLIENTS })),
  );
  answers.push(...race);
  await Promise.all(processes.map((one) => one.run({ t: 'flush', caller })));
  const used = await readUsed(fresh, caller);
  figures.served += answers.reduce((sum, { served }) => sum + served, 0);
  if (used !== sumSpent(answers)) throw new Error(`${used} is booked where ${sumSpent(answers)} was spent`);
  if (used > limit) figures.overspent += 1;
  figures.affordable += answers
    .flatMap(({ leftWhenRefused }) => leftWhenRefused)
    .filter((left) => left >= amount).length;
  if (limit - used >= amount)
    throw new Error(`${limit - used} of ${limit} is left and pays for another ${amount}`);
  return Math.max(...race.map(({ slowestMs }) => slowestMs));
}

const sumSpent = (answers: readonly LedgerAnswer[]): PicoUsd =>
  answers.reduce((sum, { spent }) => sum + spent, 0n);

/** A budget of some hundred requests: of a key, or of an organization. */
async function createRound({ accounts }: FreshAccounts, random: () => number): Promise<Round> {
  const { directory } = accounts;
  const amount = 1_000n + BigInt(Math.floor(random() * 1_000));
  const share = random() < 0.5 ? 1 : 0.3 + 0.7 * random();
  const cost = BigInt(Math.floor(Number(amount) * share));
  const limit = BigInt(Math.floor(Number(amount) * (400 + 300 * random())));
  const { id: organizationId } = await directory.createOrganization('Round');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'default' });
  const isCredits = random() < 0.5;
  if (isCredits) await directory.addCredits({ organizationId, amount: limit });
  const { secret } = await directory.createKey({ projectId, label: 'round', ...(!isCredits && { limit }) });
  const caller = await accounts.identify(secret);
  const grows = random() < GROWING_SHARE;
  const racing = random() < 0.5 ? PROCESSES : 1 + Math.floor(random() * (PROCESSES - 1));
  return { spending: { caller, amount, cost, grows }, limit, racing };
}

async function readUsed({ database }: FreshAccounts, caller: Caller): Promise<PicoUsd> {
  const { rows } = await database.query<{ used: string }>({
    text: `SELECT used::text FROM meter WHERE kind = 'key' AND subject_id = $1`,
    values: [caller.keyId],
  });
  return BigInt(rows[0]?.used ?? '-1');
}
