import { findFault } from '../support/audit.ts';
import { type Death, createDeaths } from '../support/crash-driver.ts';
import { type KillFigures, runKillPlan } from '../support/kill-run.ts';
import { createNamedDeaths } from '../support/named-deaths.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import type { LongRun } from './long-run.ts';

const KILLS = 1_000;
/** One pass through all named points for every twenty random crashes. */
const RANDOM_PER_NAMED = 20;
const CLIENTS = 12;
const RESTART_GOAL_MS = 2_000;

export const runKills: LongRun = {
  name: 'kills',
  summary: `kill -9 of one gateway under load: ${describePlan(KILLS)}`,
  async run({ seed, count = KILLS, report }) {
    const deaths = [planDeaths(seed, count)];
    return describe('embedded', await runKillPlan({ seed, clients: CLIENTS, deaths, report }));
  },
};

export const runReplicas: LongRun = {
  name: 'replicas',
  summary: `the same with two gateways on one PostgreSQL: ${describePlan(KILLS / 2)} for each`,
  async run({ seed, count = KILLS / 2, report }) {
    const deaths = [planDeaths(seed + 1, count), planDeaths(seed + 2, count)];
    return describe('2 replicas', await runKillPlan({ seed, clients: CLIENTS, deaths, report }));
  },
};

function describePlan(count: number): string {
  return `${count} times at random and ${count / RANDOM_PER_NAMED} times at each named point`;
}

/** Short runs and, one in five, long ones that write progress; the named points between them. */
function planDeaths(seed: number, count: number): Death[] {
  const random = createSeededRandom(seed);
  const short = createDeaths(seed, count, [100, 700]);
  const timed = short.map((death) => (random() < 0.2 ? { afterMs: 3_000 + random() * 2_500 } : death));
  return [...timed, ...createNamedDeaths(seed, Math.max(1, Math.round(count / RANDOM_PER_NAMED)))];
}

function describe(name: string, { audit, kills, unreached, restartsMs }: KillFigures): string {
  const fault = findFault(audit);
  if (fault) throw new Error(`${name}: ${fault}`);
  if (unreached.length > kills / 20)
    throw new Error(`${name}: named points that were not met: ${unreached.join(', ')}`);
  const at = (share: number, times = restartsMs): string =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0);
  const late = restartsMs.filter((ms) => ms > RESTART_GOAL_MS).length;
  return (
    `${name}: ${kills} kills (${unreached.length} points not met), ${audit.reached} requests reached the provider, ` +
    `${audit.completed} completed and exact, ${audit.estimated} estimated within bounds, 0 missing, 0 double; ` +
    `words shown and not charged at most ${at(1, audit.unpaidMs)} ms (p50 ${at(0.5, audit.unpaidMs)}, ` +
    `p99 ${at(0.99, audit.unpaidMs)}) of ${audit.unpaidMs.length} answers with such words; ` +
    `restart to first 200 p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${late} over ${RESTART_GOAL_MS} ms`
  );
}
