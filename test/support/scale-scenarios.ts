import type { Scenario } from './scale-run.ts';

type Random = () => number;

const AMOUNT = 1_000;
const MEAN_COST = 650;
const PER_SECOND = 10;
/** More than any run spends. */
const ENDLESS = 1e12;

const COMMON = {
  amount: AMOUNT,
  chooseCost: (random: Random) => 300 + Math.floor(700 * random()),
  chooseDurationMs: (random: Random) => 200 + 3_800 * random(),
};

/** All processes serve one organization; without `budgetSeconds` its budget does not end. */
export function createOneOrganization(
  processes: number,
  { perSecond = PER_SECOND, budgetSeconds }: { perSecond?: number; budgetSeconds?: number } = {},
): Scenario {
  return {
    ...COMMON,
    processes,
    limit:
      budgetSeconds === undefined ? ENDLESS : Math.round(processes * perSecond * budgetSeconds * MEAN_COST),
    chooseOrganization: () => 0,
    arrivals: { perSecond },
    untilMs: budgetSeconds === undefined ? 20_000 : 60_000,
    steadyFromMs: 10_000,
  };
}

/**
 * Organizations of very different sizes: the n-th has an n-th of the requests of the first. Each is served by `spread`
 * of the processes.
 */
export function createManyOrganizations(
  organizations: number,
  { processes, spread, perSecond }: { processes: number; spread: number; perSecond: number },
): Scenario {
  const scale = Math.log(organizations);
  // At random from a continuous form of that distribution.
  const choose = (random: Random): number => Math.floor(Math.exp(random() * scale)) - 1;
  return {
    ...COMMON,
    processes,
    limit: ENDLESS,
    chooseOrganization: (process, random) => {
      let one = choose(random);
      while (!isServedBy(one, process, { processes, spread })) one = choose(random);
      return one;
    },
    arrivals: { perSecond: perSecond / processes },
    untilMs: 15_000,
    steadyFromMs: 5_000,
  };
}

function isServedBy(
  organization: number,
  process: number,
  { processes, spread }: { processes: number; spread: number },
): boolean {
  const first = Math.imul(organization + 1, 0x9e3779b1) >>> 0;
  return (process + processes - (first % processes)) % processes < spread;
}
