import type { UpstreamFailure } from '#errors';
import { createSeededRandom } from '../seeded-random.ts';

/** How a provider behaves for a while. */
export type Mood =
  | 'good'
  | 'broken'
  | 'flaky'
  | 'silent'
  | 'half-silent'
  | 'overloaded'
  | 'limited'
  | 'late'
  | 'slow'
  | 'cutting'
  | 'unreachable'
  | 'gone'
  | 'unauthorized'
  | 'throttled'
  | 'burst';

export interface Period {
  mood: Mood;
  fromMs: number;
  toMs: number;
  /** How much of it: the share of calls that fail, or the factor of slowness. */
  degree: number;
}

/** What a call to a provider will come to, unless it is canceled; times since the call. */
export type Fate =
  | { type: 'answer'; firstMs: number; wholeMs: number; tokens: number }
  | { type: 'cut'; firstMs: number; atMs: number }
  | { type: 'failure'; afterMs: number; failure: UpstreamFailure }
  | { type: 'silence' };

/** A provider's own speed and its periods, which cover the whole time. */
export interface WorldProvider {
  id: string;
  firstMs: number;
  perTokenMs: number;
  /** How much longer it takes to begin, for each token of the prompt. */
  perPromptTokenMs?: number;
  /** The share of calls that fail at any time. */
  failures?: number;
  /** The share of answers that are cut at any time, somewhere between beginning and end. */
  cuts?: number;
  periods: readonly Period[];
}

/** What a request is for. */
export interface WorldAsk {
  stream: boolean;
  promptTokens: number;
  outputTokens: number;
  /** How long a provider thinks in silence before its first event. */
  thinkMs?: number;
}

/** Providers, from the cheapest to the most expensive, and the requests that come. */
export interface World {
  seed: number;
  providers: readonly WorldProvider[];
  /** When requests arrive. */
  arrivalsMs: readonly number[];
  /** Draws what a request is for; by default, short streams. */
  draw?(random: () => number): WorldAsk;
  /** From here on every provider is good. */
  calmMs: number;
  endMs: number;
  /** How long clients wait for the first event; by default, 30 s. */
  patienceMs?: number;
}

const MOODS: readonly Mood[] = [
  'broken',
  'flaky',
  'silent',
  'half-silent',
  'overloaded',
  'limited',
  'late',
  'slow',
  'cutting',
  'unreachable',
  'gone',
];
const TROUBLED_MS = 240_000;
const CALM_MS = 180_000;
/** One world in this many has no trouble, and one has providers that are good and bad in turn. */
const SPECIAL_EVERY = 20;
/** Requests that come together. */
const MOST_AT_ONCE = 16;
const ALTERNATING: readonly Mood[] = ['broken', 'overloaded', 'unreachable'];
const SHORTEST_TURN_MS = 1_000;
const LONGEST_TURN_MS = 6_000;
const SHORTEST_MS = 2_000;
const LONGEST_MS = 90_000;

/** A random world, fully determined by its seed. */
export function createWorld(seed: number): World {
  const random = createSeededRandom(seed);
  const count = 1 + Math.floor(random() * 4);
  const goodShare = seed % SPECIAL_EVERY === 0 ? 1 : random();
  const firstMs = 60 * 20 ** random();
  const turnMs = SHORTEST_TURN_MS + random() * (LONGEST_TURN_MS - SHORTEST_TURN_MS);
  const perTokenMs = 4 + random() * 20;
  // Providers of one model are of similar speed: which is better is a matter of price.
  const providers = Array.from({ length: count }, (_, place) => ({
    id: `provider-${place}`,
    firstMs: firstMs * (0.8 + random() * 0.4),
    perTokenMs: perTokenMs * (0.8 + random() * 0.4),
    periods:
      seed % SPECIAL_EVERY === 1
        ? createTurns(random, turnMs, (2 * turnMs * place) / count)
        : createPeriods(random, goodShare),
  }));
  const endMs = TROUBLED_MS + CALM_MS;
  const gapMs = 200 * 10 ** random();
  const burst = 1 + Math.floor(MOST_AT_ONCE * random() ** 2);
  return {
    seed,
    providers,
    arrivalsMs: createArrivals(random, { gapMs, burst, endMs }),
    calmMs: TROUBLED_MS,
    endMs,
  };
}

function createPeriods(random: () => number, goodShare: number): Period[] {
  const periods: Period[] = [];
  for (let fromMs = 0; fromMs < TROUBLED_MS;) {
    const toMs = Math.min(TROUBLED_MS, fromMs + SHORTEST_MS * (LONGEST_MS / SHORTEST_MS) ** random());
    const mood = random() < goodShare ? 'good' : (MOODS[Math.floor(random() * MOODS.length)] ?? 'good');
    periods.push({ mood, fromMs, toMs, degree: random() });
    fromMs = toMs;
  }
  return [...periods, { mood: 'good', fromMs: TROUBLED_MS, toMs: Infinity, degree: 0 }];
}

/** Good and bad for equal times, from a shift on. */
function createTurns(random: () => number, turnMs: number, shiftMs: number): Period[] {
  const periods: Period[] = [];
  let mood: Mood = 'good';
  for (let fromMs = 0, toMs = shiftMs; fromMs < TROUBLED_MS; fromMs = toMs, toMs += turnMs) {
    periods.push({ mood, fromMs, toMs: Math.min(toMs, TROUBLED_MS), degree: 1 });
    mood = mood === 'good' ? (ALTERNATING[Math.floor(random() * ALTERNATING.length)] ?? 'broken') : 'good';
  }
  return [...periods, { mood: 'good', fromMs: TROUBLED_MS, toMs: Infinity, degree: 0 }];
}

/** At random, several at once, with a mean gap between two requests. */
function createArrivals(
  random: () => number,
  { gapMs, burst, endMs }: { gapMs: number; burst: number; endMs: number },
): number[] {
  const arrivals: number[] = [];
  for (let atMs = 0; atMs < endMs; atMs -= Math.log(1 - random()) * gapMs * burst)
    for (let count = 0; count < burst; count += 1) arrivals.push(atMs);
  return arrivals;
}

export function moodAt({ periods }: WorldProvider, atMs: number): Period {
  const period = periods.find(({ toMs }) => atMs < toMs);
  if (!period) throw new Error('periods cover the whole time');
  return period;
}

/** Whether it was good all the time between two moments. */
export function wasGood({ periods }: WorldProvider, fromMs: number, toMs: number): boolean {
  return periods.every((period) => period.mood === 'good' || period.toMs <= fromMs || period.fromMs >= toMs);
}

type Answer = Fate & { type: 'answer' };

const QUICKLY_MS = 30;
const UNREACHABLE_MS = 5;

/** The fate of a call at a time. */
export function drawFate(
  provider: WorldProvider,
  { atMs, ask }: { atMs: number; ask?: WorldAsk | undefined },
  random: () => number,
): Fate {
  const period = moodAt(provider, atMs);
  const answer = drawAnswer(provider, ask, random);
  const isHit = random() < 0.2 + 0.8 * period.degree;
  if (provider.failures !== undefined && random() < provider.failures)
    return fail({ kind: 'broken', message: 'broken', status: 500 });
  if (provider.cuts !== undefined && random() < provider.cuts) return cut(answer, random());
  return toFate(period, { atMs, answer, isHit, random });
}

interface Drawn {
  atMs: number;
  answer: Answer;
  /** Whether what befalls a share of the calls befalls this one. */
  isHit: boolean;
  random(): number;
}

function toFate({ mood, degree, toMs }: Period, { atMs, answer, isHit, random }: Drawn): Fate {
  switch (mood) {
    case 'good':
      return answer;
    case 'broken':
      return fail({ kind: 'broken', message: 'broken', status: 500 });
    case 'flaky':
      return isHit ? fail({ kind: 'broken', message: 'flaky', status: 500 }) : answer;
    case 'silent':
      return { type: 'silence' };
    case 'half-silent':
      return isHit ? { type: 'silence' } : answer;
    case 'overloaded':
      return fail({ kind: 'overloaded', message: 'overloaded', status: 529 });
    case 'limited':
      return fail({
        kind: 'rate-limited',
        message: 'limited',
        status: 429,
        retryAfterSeconds: Math.min(60, Math.max(1, Math.ceil((toMs - atMs) / 1_000))),
      });
    case 'late':
      return { ...answer, firstMs: answer.firstMs + 3_000, wholeMs: answer.wholeMs + 3_000 };
    case 'slow':
      return { ...answer, wholeMs: answer.firstMs + (answer.wholeMs - answer.firstMs) * (5 + 10 * degree) };
    case 'cutting':
      return isHit ? cut(answer, 0.5) : answer;
    case 'unreachable':
      return fail({ kind: 'unreachable', message: 'unreachable' }, UNREACHABLE_MS);
    case 'unauthorized':
      return fail({ kind: 'credential-refused', message: 'unauthorized', status: 401 });
    case 'throttled':
      return isHit
        ? fail({ kind: 'rate-limited', message: 'limited', status: 429, retryAfterSeconds: 2 })
        : answer;
    case 'burst':
      if (!isHit) return answer;
      return random() < 0.5 ? { type: 'silence' } : fail({ kind: 'broken', message: 'broken', status: 503 });
    case 'gone':
      return fail({
        kind: 'request-refused',
        message: 'The model does not exist',
        status: 404,
        code: 'model_not_found',
      });
  }
}

function drawAnswer(
  { firstMs, perTokenMs, perPromptTokenMs = 0 }: WorldProvider,
  ask: WorldAsk | undefined,
  random: () => number,
): Answer {
  const tokens = ask?.outputTokens ?? 20 + Math.floor(random() * 180);
  const readMs = (ask?.promptTokens ?? 0) * perPromptTokenMs;
  // A long tail: one in fifty takes twice as long to begin.
  const readyMs = (firstMs + readMs) * (0.8 + random() * 0.4) * (random() < 0.02 ? 2 : 1);
  const begin = readyMs + (ask?.thinkMs ?? 0);
  return { type: 'answer', firstMs: begin, wholeMs: begin + tokens * perTokenMs, tokens };
}

function cut({ firstMs, wholeMs }: Answer, share: number): Fate {
  return { type: 'cut', firstMs, atMs: firstMs + (wholeMs - firstMs) * share };
}

function fail(failure: UpstreamFailure, afterMs = QUICKLY_MS): Fate {
  return { type: 'failure', afterMs, failure };
}
