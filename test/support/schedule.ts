import { LedgerModel, type Step } from './ledger-model.ts';
import { createSeededRandom } from './seeded-random.ts';

/** A schedule with what the model says to each of its steps. */
export interface Schedule {
  seed: number;
  keyLimits: readonly (number | null)[];
  organizationLimit: number | null;
  steps: readonly Step[];
  /** After each step: the answer of a reserve, and `used held` of each key and of the organization. */
  expected: readonly string[];
}

const KEYS = 2;
const OWNERS = 3;
const REQUESTS = 4;
const MOST_STEPS = 28;

type Random = () => number;
const upTo = (random: Random, most: number): number => Math.floor(random() * most);

/**
 * Anything in any order: what is asked twice, arrives late, out of order, from the dead or after a sweep is all in here,
 * because no step waits for another.
 */
export function createSchedule(seed: number): Schedule {
  const random = createSeededRandom(seed);
  const chooseLimit = (): number | null => (random() < 0.25 ? null : 20 * (2 + upTo(random, 18)));
  const keyLimits = Array.from({ length: KEYS }, chooseLimit);
  const organizationLimit = chooseLimit();
  const steps: Step[] = Array.from({ length: OWNERS }, (_, owner) => ({ t: 'beat', owner, progress: [] }));
  const count = 8 + upTo(random, MOST_STEPS - 8);
  while (steps.length < count) {
    const before = steps[upTo(random, steps.length)];
    steps.push(before && random() < 0.12 ? before : chooseStep(random));
  }
  // The end: everybody dies, and whoever comes next closes what they left.
  steps.push({ t: 'sweep', owner: OWNERS, exclusive: true });
  return {
    seed,
    keyLimits,
    organizationLimit,
    steps,
    expected: predict(new LedgerModel(keyLimits, organizationLimit), steps),
  };
}

function predict(model: LedgerModel, steps: readonly Step[]): string[] {
  return steps.map((step) => {
    const answer = model.run(step) ?? '';
    const sums = [...model.keys, model.organization].map(({ used, held }) => `${used} ${held}`);
    return [answer, ...sums].join(', ');
  });
}

/** A request belongs to one key, whoever asks for it. */
const keyOf = (request: number): number => request % KEYS;
const idOf = (request: number): string => `r${request}`;

function chooseStep(random: Random): Step {
  const owner = upTo(random, OWNERS);
  const request = upTo(random, REQUESTS);
  const [id, key] = [idOf(request), keyOf(request)];
  const chance = random();
  if (chance < 0.36) {
    const amount = random() < 0.05 ? 0 : 20 * upTo(random, 12);
    const least = random() < 0.3 ? 20 * upTo(random, amount / 20 + 1) : null;
    return { t: 'reserve', owner, id, key, amount, least, final: random() < 0.4 };
  }
  if (chance < 0.6) {
    const other = (request + 1) % REQUESTS;
    const settlements = [{ id, key, customer: 20 * upTo(random, 7) }];
    if (random() < 0.3)
      settlements.push({ id: idOf(other), key: keyOf(other), customer: 20 * upTo(random, 7) });
    return { t: 'settle', owner, settlements };
  }
  if (chance < 0.74) return { t: 'beat', owner, progress: [{ id, customer: 1 + upTo(random, 60) }] };
  if (chance < 0.78) return { t: 'release', owner, ids: [id] };
  if (chance < 0.86) return { t: 'silence', owner };
  if (chance < 0.89) return { t: 'leap' };
  return { t: 'sweep', owner, exclusive: random() < 0.15 };
}
