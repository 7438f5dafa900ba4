import type { Asked } from './route-clients.ts';

/** What a scenario must reach; ratios are to healthy traffic of the same run. */
export interface Goal {
  /** The least share of complete answers. */
  success?: number;
  /** The status that counts as success instead. */
  status?: string;
  /** The most calls per request. */
  calls?: number;
  /** The most of the p99 of a whole answer. */
  p99?: number;
  /** The most of the p50, of the first event and of a whole answer, from ten seconds on; to the time before the fault. */
  settledP50?: number;
  /** Seconds after which the cheapest is asked again, and not before. */
  backAfter?: number;
}

/** A call as the provider saw it. */
export interface Call {
  /** 0 is the cheapest. */
  place: number;
  atMs: number;
}

/** What was seen of a scenario; times on the monotonic clock. */
export interface Seen {
  asked: readonly Asked[];
  calls: readonly Call[];
  /** Places of the providers by id. */
  places: ReadonlyMap<string, number>;
  faultAtMs: number;
  faultEndMs: number;
}

interface Spread {
  p50: number;
  p99: number;
}

export interface Figures {
  requests: number;
  success: number;
  /** Milliseconds to the first event of a stream, of successes. */
  first: Spread;
  whole: Spread;
  /** The same of requests from ten seconds on. */
  settledFirst: Spread;
  settledWhole: Spread;
  /** The same of requests before the fault. */
  healthyFirst: Spread;
  healthyWhole: Spread;
  calls: number;
  /** The share of answers by each place. */
  shares: number[];
  /** Seconds until the cheapest got less than a fifth of the calls for good. */
  movedS: number | undefined;
  /** Seconds after the first call at the cheapest, between its first burst and the next call. */
  backS: number | undefined;
  /** How often each outcome occurred. */
  outcomes: Map<string, number>;
  /** The least success of a model. */
  worst: { model: string; success: number };
}

const SETTLED_MS = 10_000;
const BIN_MS = 500;
const MOVED_SHARE = 0.2;
/** Calls that were under way when the first was refused. */
const BURST_MS = 1_500;
/** How late a provider may be asked again. */
const BACK_SLACK_S = 2;

export function measure(seen: Seen, goal: Goal): Figures {
  const { faultAtMs, faultEndMs } = seen;
  const isWithin = (atMs: number): boolean => atMs >= faultAtMs && atMs < faultEndMs;
  const asked = seen.asked.filter(({ startedMs }) => isWithin(startedMs));
  const calls = seen.calls.filter(({ atMs }) => isWithin(atMs));
  const succeeded = asked.filter((one) => isSuccess(one, goal));
  const settled = succeeded.filter(
    ({ startedMs }) => startedMs >= Math.min(faultAtMs + SETTLED_MS, halfOf(seen)),
  );
  const healthy = seen.asked.filter((one) => one.startedMs < faultAtMs && one.outcome === 'whole');
  return {
    requests: asked.length,
    success: share(succeeded.length, asked.length),
    first: spread(succeeded.flatMap(firstOf)),
    whole: spread(succeeded.flatMap(wholeOf)),
    settledFirst: spread(settled.flatMap(firstOf)),
    settledWhole: spread(settled.flatMap(wholeOf)),
    healthyFirst: spread(healthy.flatMap(firstOf)),
    healthyWhole: spread(healthy.flatMap(wholeOf)),
    calls: share(calls.length, asked.length),
    shares: shareOut(succeeded, seen.places),
    movedS: findMoved(calls, seen),
    backS: findBack(seen.calls.filter(({ atMs }) => atMs >= faultAtMs)),
    outcomes: countOutcomes(asked),
    worst: findWorst(asked, goal),
  };
}

/** What of the goal is missed. */
export function findMisses(figures: Figures, goal: Goal, healthy: Figures): string[] {
  const { success, calls, whole, settledFirst, settledWhole, healthyFirst, healthyWhole, backS } = figures;
  const misses: string[] = [];
  const most = (name: string, value: number, limit: number | undefined): void => {
    if (limit !== undefined && !(value <= limit))
      misses.push(`${name} ${value.toFixed(2)} > ${limit.toFixed(2)}`);
  };
  const ratio = (limit: number | undefined, ms: number): number | undefined =>
    limit === undefined ? undefined : (limit * ms) / 1_000;
  if (goal.success !== undefined && !(success >= goal.success))
    misses.push(`success ${percent(success)} < ${percent(goal.success)}`);
  most('calls', calls, goal.calls);
  most('p99', whole.p99 / 1_000, ratio(goal.p99, healthy.whole.p99));
  most('p50 of the first event', settledFirst.p50 / 1_000, ratio(goal.settledP50, healthyFirst.p50));
  most('p50', settledWhole.p50 / 1_000, ratio(goal.settledP50, healthyWhole.p50));
  if (goal.backAfter !== undefined) {
    if (backS === undefined) misses.push('the cheapest was not asked again');
    else if (backS < goal.backAfter || backS > goal.backAfter + BACK_SLACK_S)
      misses.push(`asked again after ${backS.toFixed(1)} s`);
  }
  return misses;
}

export function percent(value: number): string {
  return `${(value * 100).toFixed(value === 1 || value === 0 ? 0 : 1)} %`;
}

const isSuccess = ({ outcome }: Asked, { status = 'whole' }: Goal): boolean => outcome === status;
const share = (part: number, of: number): number => (of === 0 ? 0 : part / of);
const halfOf = ({ faultAtMs, faultEndMs }: Seen): number => (faultAtMs + faultEndMs) / 2;
const firstOf = ({ firstMs, startedMs }: Asked): number[] =>
  firstMs === undefined ? [] : [firstMs - startedMs];
const wholeOf = ({ endedMs, startedMs }: Asked): number[] =>
  endedMs === undefined ? [] : [endedMs - startedMs];

/** By nearest rank. */
function spread(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function shareOut(succeeded: readonly Asked[], places: Seen['places']): number[] {
  const counts = Array.from({ length: Math.max(...places.values()) + 1 }, () => 0);
  for (const { providerId = '' } of succeeded) {
    const place = places.get(providerId);
    if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1;
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => share(count, total));
}

function findMoved(calls: readonly Call[], { faultAtMs, faultEndMs }: Seen): number | undefined {
  let movedBin = 0;
  const bins = Math.floor((faultEndMs - faultAtMs) / BIN_MS);
  for (let bin = 0; bin < bins; bin += 1) {
    const within = calls.filter(({ atMs }) => Math.floor((atMs - faultAtMs) / BIN_MS) === bin);
    const atCheapest = within.filter(({ place }) => place === 0).length;
    if (within.length === 0 || atCheapest > within.length * MOVED_SHARE) movedBin = bin + 1;
  }
  return movedBin >= bins - 1 ? undefined : (movedBin * BIN_MS) / 1_000;
}

function findBack(calls: readonly Call[]): number | undefined {
  const times = calls.filter(({ place }) => place === 0).map(({ atMs }) => atMs);
  const [first = 0] = times;
  const again = times.find((atMs) => atMs - first > BURST_MS);
  return again === undefined ? undefined : (again - first) / 1_000;
}

function countOutcomes(asked: readonly Asked[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { outcome } of asked) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}

function findWorst(asked: readonly Asked[], goal: Goal): Figures['worst'] {
  const models = [...new Set(asked.map(({ model }) => model))];
  const rates = models.map((model) => {
    const of = asked.filter((one) => one.model === model);
    return { model, success: share(of.filter((one) => isSuccess(one, goal)).length, of.length) };
  });
  return rates.toSorted((a, b) => a.success - b.success)[0] ?? { model: '', success: 0 };
}
