import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PicoUsd } from '#base';
import { type FreshAccounts, openFreshAccounts } from './fresh-accounts.ts';
import { type LedgerAnswer, LedgerProcess } from './ledger-process.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type RecallRound, createRecallRound, readCharged } from './recall-rounds.ts';
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
  /** Rounds whose budget was renewed during the race. */
  renewed: number;
  /** Held in leases at that moment, as a share of what was left. */
  leasedShare: number;
  /** The longest time a request waited for its hold, and the median of the rounds. */
  slowestMs: number;
  medianMs: number;
}

const PROCESSES = 4;
const CLIENTS = 64;
/** Enough for a lease, then some on the lease. */
const BUSY = 20;
const ON_LEASE = 3;
/** Processes are heard of again, and have leases again, after their clocks have been moved. */
const HEARD_MS = 1_500;
/** How long before the end of a period the race for its rest begins, and for how long it is on then. */
const BEFORE_END_MS = 10_000;
const RACE_MS = 100;
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
  const prepared: RecallRound[] = [];
  while (prepared.length < rounds) prepared.push(await createRecallRound(fresh, random));
  const processes = await startProcesses(stack, { fresh, folder });
  const figures: RecallFigures = {
    rounds,
    served: 0,
    overspent: 0,
    affordable: 0,
    leases: 0,
    leasedRounds: 0,
    renewed: 0,
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
    const options = { connection, folder: join(folder.path, String(number)), isClockMoved: true };
    processes.push(stack.use(await LedgerProcess.start(options)));
  }
  return processes;
}

interface Running {
  fresh: FreshAccounts;
  processes: readonly LedgerProcess[];
  figures: RecallFigures;
}

/** Returns the longest wait for a hold. */
async function runRound(round: RecallRound, running: Running): Promise<number> {
  const { spending, limit, racing } = round;
  const { fresh, processes, figures } = running;
  const { caller, amount } = spending;
  const answers: LedgerAnswer[] = [];
  const useAll = async (count: number): Promise<void> => {
    answers.push(...(await Promise.all(processes.map((one) => one.run({ t: 'use', spending, count })))));
  };
  await useAll(BUSY);
  if (round.turns) {
    await approachEnd(round, running);
    await useAll(BUSY);
  }
  await useAll(ON_LEASE);
  const { rows } = await fresh.database.query<{ count: number; held: string }>({
    text: LEASED,
    values: [caller.keyId, caller.organizationId],
  });
  const { count = 0, held = '0' } = rows[0] ?? {};
  figures.leases += count;
  if (count > 0) figures.leasedRounds += 1;
  figures.leasedShare += Number(held) / Number(limit - sumSpent(answers));
  const racers = processes.slice(0, racing).map((one) => one.run({ t: 'spend', spending, clients: CLIENTS }));
  if (round.turns) await passEnd(processes);
  const race = await Promise.all(racers);
  answers.push(...race);
  await Promise.all(processes.map((one) => one.run({ t: 'flush', caller })));
  const { used, periods } = await readCharged(fresh, caller);
  figures.served += answers.reduce((sum, { served }) => sum + served, 0);
  if (used !== sumSpent(answers)) throw new Error(`${used} is booked where ${sumSpent(answers)} was spent`);
  const [last = used, ...earlier] = periods.toReversed();
  if (earlier.length > 0) figures.renewed += 1;
  if ([last, ...earlier].some((charged) => charged > limit)) figures.overspent += 1;
  figures.affordable += answers
    .flatMap(({ leftWhenRefused }) => leftWhenRefused)
    .filter((left) => left >= amount).length;
  if (limit - last >= amount)
    throw new Error(`${limit - last} of ${limit} is left and pays for another ${amount}`);
  return Math.max(...race.map(({ slowestMs }) => slowestMs));
}

/** Shortly before its period ends everybody has a lease that draws on it. */
async function approachEnd({ spending }: RecallRound, { fresh, processes }: Running): Promise<void> {
  const { endsMs } = await readCharged(fresh, spending.caller);
  for (const one of processes) one.order({ t: 'move', toMs: endsMs - BEFORE_END_MS });
  await delay(HEARD_MS);
}

/** One process after the other notices that the period is over. */
async function passEnd(processes: readonly LedgerProcess[]): Promise<void> {
  await delay(RACE_MS);
  for (const one of processes) {
    one.order({ t: 'move', byMs: BEFORE_END_MS });
    await delay(RACE_MS / 10);
  }
}

const sumSpent = (answers: readonly LedgerAnswer[]): PicoUsd =>
  answers.reduce((sum, { spent }) => sum + spent, 0n);
