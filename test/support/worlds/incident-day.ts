import { createSeededRandom } from '../seeded-random.ts';
import { type Mood, type Period, type World, drawFate, moodAt } from './provider-world.ts';
import { type Choosing, type WorldRequest, runWorld } from './world-run.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** As many calls as the gateway makes for a request. */
const ROUNDS = 6;
/** Mean time between two requests. */
const GAP_MS = 1_000;

/** An incident of a published history: what happened, for how long, at how many providers. */
interface Incident {
  mood: Mood;
  minutes: number;
  providers: number;
  degree: number;
}

/**
 * The archive of https://aicheckerhub.com/status-history-archive lists these of four months: a burst of 5xx and time-outs
 * at several providers, rate limits at two, a saturated queue and a failing check of keys at one each. Here they come
 * within one day.
 */
const INCIDENTS: readonly Incident[] = [
  { mood: 'burst', minutes: 115, providers: 2, degree: 0.6 },
  { mood: 'throttled', minutes: 48, providers: 2, degree: 0.5 },
  { mood: 'slow', minutes: 132, providers: 1, degree: 0.5 },
  { mood: 'unauthorized', minutes: 37, providers: 1, degree: 1 },
];

/** Between incidents, calls fail as rarely as the same page's uptimes of the last 30 days say; the cheapest most often. */
const FAILURES = [0.0059, 0.0021, 0.0014];

/** A day of three providers with these incidents at random times and, but for the first of each, random providers. */
function createIncidentDay(seed: number): World {
  const random = createSeededRandom(seed);
  const slot = DAY_MS / INCIDENTS.length;
  const periods: Period[][] = FAILURES.map(() => []);
  const order = INCIDENTS.map((incident) => ({ incident, at: random() })).toSorted((a, b) => a.at - b.at);
  for (const [number, { incident }] of order.entries()) {
    const lengthMs = incident.minutes * MINUTE_MS;
    const fromMs = number * slot + random() * (slot - lengthMs);
    const first = Math.floor(random() * FAILURES.length);
    for (let count = 0; count < incident.providers; count += 1)
      addPeriod(periods[(first + count) % FAILURES.length] ?? [], {
        ...incident,
        fromMs,
        toMs: fromMs + lengthMs,
      });
  }
  const providers = FAILURES.map((failures, place) => ({
    id: `provider-${place}`,
    firstMs: 500 + 100 * random(),
    perTokenMs: 8 + 4 * random(),
    failures,
    periods: [...(periods[place] ?? []), good(lastEnd(periods[place] ?? []), Infinity)],
  }));
  const arrivalsMs: number[] = [];
  for (let atMs = 0; atMs < DAY_MS; atMs -= Math.log(1 - random()) * GAP_MS) arrivalsMs.push(atMs);
  return { seed, providers, arrivalsMs, calmMs: 0, endMs: DAY_MS };
}

const good = (fromMs: number, toMs: number): Period => ({ mood: 'good', fromMs, toMs, degree: 0 });

function lastEnd(periods: readonly Period[]): number {
  return periods.at(-1)?.toMs ?? 0;
}

function addPeriod(periods: Period[], { mood, fromMs, toMs, degree }: Period): void {
  periods.push(good(lastEnd(periods), fromMs), { mood, fromMs, toMs, degree });
}

const RANKS_OF_PRICE = ['cheapest', 'next', 'most expensive'];
const STRATEGIES = ['balanced', 'price', 'latency', 'throughput', 'uptime'] as const;

/** The gateway's strategies, and what does not look at what happened. */
const CHOICES: readonly { name: string; choosing: Choosing }[] = [
  ...STRATEGIES.map((strategy) => ({
    name: `\`${strategy}\``,
    choosing: { routing: { isAdaptive: true, hedges: true, strategy } },
  })),
  ...FAILURES.map((_, place) => ({
    name: `only the ${RANKS_OF_PRICE[place]}`,
    choosing: createFixed([place]),
  })),
  { name: 'the cheapest, then the others in turn', choosing: createFixed([0, 1, 2]) },
];

function createFixed(order: readonly number[]): Choosing {
  return { routing: { isAdaptive: false, hedges: false, strategy: 'price' }, order };
}

/** What a choice came to. */
export interface DayFigures {
  name: string;
  requests: number;
  success: number;
  calls: number;
  /** Mean price of an answer; the cheapest provider's is 1. */
  cost: number;
  p50Ms: number;
  p99Ms: number;
}

export async function measureDay(seed: number, report: (figures: DayFigures) => void): Promise<DayFigures[]> {
  const world = createIncidentDay(seed);
  const all: DayFigures[] = [];
  const add = (figures: DayFigures): void => {
    all.push(figures);
    report(figures);
  };
  for (const { name, choosing } of CHOICES) add(measure(name, await runWorld(world, choosing)));
  add(measure('the best possible in hindsight', foresee(world)));
  return all;
}

/** The prices that the providers have in a world. */
const priceOf = (place: number): number => place + 1;

function measure(name: string, requests: readonly WorldRequest[]): DayFigures {
  const answered = requests.filter(({ outcome }) => outcome === 'answered');
  const cost = answered.reduce((sum, { answeredBy = 0 }) => sum + priceOf(answeredBy), 0);
  const times = answered.map(({ atMs, endedMs }) => endedMs - atMs).toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
  return {
    name,
    requests: requests.length,
    success: answered.length / requests.length,
    calls: requests.reduce((sum, { called }) => sum + called.length, 0) / requests.length,
    cost: cost / answered.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

/** Each request calls the cheapest provider whose answer comes and is not slow; if there is none, one that is, or a moment later. */
function foresee(world: World): WorldRequest[] {
  const random = createSeededRandom(world.seed + 1);
  return world.arrivalsMs.map((atMs) => {
    const request = { atMs, home: 0, calledMs: [atMs], freeMs: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = world.providers.flatMap((provider, place) => {
        const fate = drawFate(provider, { atMs }, random);
        return fate.type === 'answer' ? [{ place, fate, slow: moodAt(provider, atMs).mood === 'slow' }] : [];
      });
      const best = answers.find(({ slow }) => !slow) ?? answers[0];
      if (!best) continue;
      const { place, fate } = best;
      const endedMs = atMs + fate.wholeMs;
      return { ...request, endedMs, outcome: 'answered', called: [place], answeredBy: place };
    }
    return { ...request, endedMs: atMs, outcome: 'failed', called: [0] };
  });
}
