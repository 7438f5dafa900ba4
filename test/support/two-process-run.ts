import { join } from 'node:path';
import { openFreshAccounts } from './fresh-accounts.ts';
import { LedgerProcess } from './ledger-process.ts';
import { type Scenario, simulate } from './scale-run.ts';
import { createTemporaryFolder } from './temporary.ts';

/** The same scenario as it was measured and as it was simulated. */
export interface Comparison {
  served: number;
  seconds: number;
  reports: number;
  steps: number;
  recalls: number;
}

const PROCESSES = 2;
const CLIENTS = 16;
const AMOUNT = 1_000;
const COST = 700;
const DURATION_MS = 25;
const REQUESTS = 6_000;
const LIMIT = COST * REQUESTS;

const SCENARIO: Scenario = {
  processes: PROCESSES,
  idleProcesses: 1, // the one that creates the key and reads the books
  limit: LIMIT,
  amount: AMOUNT,
  chooseCost: () => COST,
  chooseDurationMs: () => DURATION_MS,
  chooseOrganization: () => 0,
  arrivals: { clients: CLIENTS },
  untilMs: 60_000,
  steadyFromMs: 1_000,
};

/** Two real processes spend a budget to its end; the simulation does the same. */
export async function compareWithReality(seed: number): Promise<{ real: Comparison; simulated: Comparison }> {
  const { statements, served, endMs, affordable } = simulate(SCENARIO, seed);
  if (affordable > 0) throw new Error(`${affordable} simulated requests were refused that could be paid`);
  const simulated: Comparison = {
    served,
    seconds: endMs / 1_000,
    reports: statements.report,
    steps: statements.step,
    recalls: statements.notify,
  };
  return { real: await runProcesses(), simulated };
}

async function runProcesses(): Promise<Comparison> {
  using folder = createTemporaryFolder();
  await using fresh = await openFreshAccounts();
  await using stack = new AsyncDisposableStack();
  const { projectId } = fresh.caller;
  const options = { projectId, label: 'scale', limit: BigInt(LIMIT) };
  const { secret } = await fresh.accounts.directory.createKey(options);
  const caller = await fresh.accounts.identify(secret);
  const processes: LedgerProcess[] = [];
  for (let number = 0; number < PROCESSES; number += 1) {
    const { connection } = fresh.fresh;
    processes.push(
      stack.use(await LedgerProcess.start({ connection, folder: join(folder.path, String(number)) })),
    );
  }
  const spending = { caller, amount: BigInt(AMOUNT), cost: BigInt(COST), durationMs: DURATION_MS };
  await Promise.all(processes.map((one) => one.run({ t: 'flush', caller }))); // counts again
  const startedMs = performance.now();
  const answers = await Promise.all(
    processes.map((one) => one.run({ t: 'spend', spending, clients: CLIENTS })),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  answers.push(...(await Promise.all(processes.map((one) => one.run({ t: 'flush', caller })))));
  const sum = (...names: string[]): number =>
    answers.reduce(
      (all, { statements }) =>
        all + names.reduce((one, name) => one + (statements[`ledger_${name}`] ?? 0), 0),
      0,
    );
  return {
    served: answers.reduce((all, { served }) => all + served, 0),
    seconds,
    reports: sum('report'),
    steps: sum('step', 'ship'),
    recalls: sum('notify'),
  };
}
