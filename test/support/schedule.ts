import { LedgerModel } from './ledger-model.ts';
import type { Step } from './ledger-steps.ts';
import type { Renewal } from './model-meters.ts';
import { LeaseWork, type OpenedRequest } from './schedule-leases.ts';
import { createSeededRandom } from './seeded-random.ts';

export interface Limits {
  keyLimits: readonly (number | null)[];
  /** Of keys that have such a limit, too. */
  renewals: readonly (Renewal | undefined)[];
  organizationLimit: number | null;
}

/** The steps of one organization and its keys, with the model's answer to each. */
export interface Schedule extends Limits {
  /** One for each moment of its world; absent if only others have a step. */
  steps: readonly (Step | undefined)[];
  /** After each moment: the answer of a reserve, a growth or a report, and `used held` of each key and of the organization. */
  expected: readonly string[];
  /** What leases held at the end of which nothing is known. */
  lost: number;
}

/**
 * Schedules that share processes, as organizations share a gateway: at each moment one process runs a step for each of
 * them in one statement, or an event hits a process and so all of them. Steps differ from schedule to schedule.
 */
export interface World {
  seed: number;
  moments: readonly Moment[];
  schedules: readonly Schedule[];
}

/** The work of one process, which beats if any of its schedules beats; or an event. */
type Moment = { t: 'work'; owner: number; beats: boolean } | Exclude<Step, Work>;
type Work = Extract<Step, { t: 'reserve' | 'grow' | 'settle' | 'beat' | 'release' | 'report' }>;

type Plan = Omit<Schedule, 'expected' | 'lost'>;

const KEYS = 2;
const OWNERS = 3;
const REQUESTS = 4;
const MOST_STEPS = 28;
const HOUR_MS = 3_600_000;

type Random = () => number;
const upTo = (random: Random, most: number): number => Math.floor(random() * most);

/**
 * Steps in any order: repeated, late, out of order, after a crash or after a sweep are all included, because no step
 * waits for another.
 */
export function createWorld(seed: number, size: number): World {
  const random = createSeededRandom(seed);
  const moments: Moment[] = Array.from({ length: OWNERS }, (_, owner) => ({ t: 'work', owner, beats: true }));
  const count = 8 + upTo(random, MOST_STEPS - 8);
  while (moments.length < count) moments.push(chooseMoment(random));
  // At the end every process crashes, and the next one closes what they left.
  moments.push({ t: 'sweep', owner: OWNERS, exclusive: true });
  const plans = Array.from({ length: size }, () => createPlan(random, moments));
  for (const [at, moment] of moments.entries())
    if (moment.t === 'work') moment.beats = plans.some(({ steps }) => steps[at]?.t === 'beat');
  return { seed, moments, schedules: plans.map((plan) => ({ ...plan, ...predict(plan, moments) })) };
}

function chooseMoment(random: Random): Moment {
  const owner = upTo(random, OWNERS);
  const chance = random();
  if (chance < 0.79) return { t: 'work', owner, beats: false };
  if (chance < 0.86) return { t: 'silence', owner };
  if (chance < 0.89) return { t: 'leap' };
  // Periods of an hour often end at this very moment.
  if (chance < 0.95) return { t: 'pass', ms: (HOUR_MS / 3) * (1 + upTo(random, 3)) };
  if (chance < 0.97) return { t: 'return', owner };
  return { t: 'sweep', owner, exclusive: random() < 0.15 };
}

function createPlan(random: Random, moments: readonly Moment[]): Plan {
  const chooseLimit = (): number | null => (random() < 0.25 ? null : 20 * (2 + upTo(random, 18)));
  const keyLimits = Array.from({ length: KEYS }, chooseLimit);
  const organizationLimit = chooseLimit();
  const renewals = keyLimits.map(() =>
    random() < 0.4 ? { lim: 20 * (2 + upTo(random, 18)), lengthMs: HOUR_MS } : undefined,
  );
  const leases = new LeaseWork(random, { keyLimits, organizationLimit, renewals });
  const done: Work[] = [];
  const choose = (owner: number): Work | undefined => {
    const chance = random();
    if (chance < 0.06) return undefined;
    if (chance < 0.36) return leases.choose(owner);
    if (chance > 0.9) return leases.chooseUnreported(owner);
    const opened = chance < 0.5 ? leases.findOpened(owner) : undefined;
    return opened === undefined
      ? chooseWork(random, owner, chooseRequest(random, done))
      : chooseHeldWork(random, owner, opened);
  };
  const steps = moments.map((moment, at): Step | undefined => {
    if (moment.t !== 'work') {
      leases.record(moment);
      return moment;
    }
    if (at < OWNERS) return { t: 'beat', owner: moment.owner, progress: [] };
    const before = done.filter(({ owner }) => owner === moment.owner);
    const again = random() < 0.12 ? before[upTo(random, before.length)] : undefined;
    const step = again ?? choose(moment.owner);
    if (step) done.push(step);
    if (step) leases.record(step);
    return step;
  });
  return { keyLimits, renewals, organizationLimit, steps };
}

function predict(
  { keyLimits, renewals, organizationLimit, steps }: Plan,
  moments: readonly Moment[],
): Pick<Schedule, 'expected' | 'lost'> {
  const model = new LedgerModel(keyLimits, organizationLimit, { renewals });
  const expected = moments.map((moment, at) => {
    const step = steps[at];
    const answer = (step && model.run(step)) ?? '';
    if (moment.t === 'work' && moment.beats) model.run({ t: 'beat', owner: moment.owner, progress: [] });
    const sums = [...model.keys, model.organization].map(({ used, held }, meter) =>
      [`${used} ${held}`, ...(model.periods[meter]?.describe() ?? [])].join(' | '),
    );
    return [answer, ...sums].join(', ');
  });
  return { expected, lost: model.lost };
}

/** A request belongs to one key, independent of the process. */
const keyOf = (request: number): number => request % KEYS;
const idOf = (request: number): string => `r${request}`;

/** Usually an earlier request, sometimes any. */
function chooseRequest(random: Random, done: readonly Work[]): number {
  const asked = done.filter((step) => step.t === 'reserve');
  const one = random() < 0.7 ? asked[upTo(random, asked.length)] : undefined;
  return one ? Number(one.id.slice(1)) : upTo(random, REQUESTS);
}

/** What happens to a request whose hold a report created. */
function chooseHeldWork(random: Random, owner: number, { id, key }: OpenedRequest): Work {
  const chance = random();
  const amount = 1 + upTo(random, 60);
  if (chance < 0.3) return { t: 'grow', owner, id, amount, least: 1 + upTo(random, amount) };
  if (chance < 0.6) return { t: 'beat', owner, progress: [{ id, customer: amount }] };
  return { t: 'settle', owner, settlements: [{ id, key, customer: amount }] };
}

function chooseWork(random: Random, owner: number, request: number): Work {
  const [id, key] = [idOf(request), keyOf(request)];
  const chance = random();
  if (chance < 0.14) {
    const amount = 20 * (1 + upTo(random, 8));
    return { t: 'grow', owner, id, amount, least: 20 * (1 + upTo(random, amount / 20)) };
  }
  if (chance < 0.5) {
    const amount = random() < 0.05 ? 0 : 20 * upTo(random, 12);
    const least = random() < 0.3 ? 20 * upTo(random, amount / 20 + 1) : null;
    const share = random() < 0.4 ? 10 * upTo(random, 12) : undefined;
    return { t: 'reserve', owner, id, key, amount, least, final: random() < 0.4, ...(share && { share }) };
  }
  if (chance < 0.72) {
    const other = (request + 1) % REQUESTS;
    const settlements = [{ id, key, customer: 20 * upTo(random, 7) }];
    if (random() < 0.3)
      settlements.push({ id: idOf(other), key: keyOf(other), customer: 20 * upTo(random, 7) });
    return { t: 'settle', owner, settlements };
  }
  if (chance < 0.94) return { t: 'beat', owner, progress: [{ id, customer: 1 + upTo(random, 60) }] };
  return { t: 'release', owner, ids: [id] };
}
