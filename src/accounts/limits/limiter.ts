import type { Clock } from '#base';
import type { KeyValue } from '#storage';
import type { Log } from '#telemetry';
import type { LocalEntry } from './local-counters.ts';
import type { RateLimit } from './rate-limits.ts';
import type { LimitState } from './limit-state.ts';
import { createRandomText } from '#base';
import { LocalCounters, amountOf } from './local-counters.ts';
import { SharedCounters } from './shared-counters.ts';

/** The slot of an admitted request, which it gives back at its end. */
export interface LimiterSlot {
  /** Frees its slot and corrects its tokens to the actual usage; later calls do nothing. */
  end(tokens: number): void;
}

/** The outcome of a request; without a slot it was refused, and nothing was counted. */
interface LimiterResult {
  states: readonly LimitState[];
  slot?: LimiterSlot;
}

/** Applies rate limits. Never rejects. */
export interface Limiter {
  /** Counts one request with an estimate of its tokens against every limit, or against none. */
  take(limits: readonly RateLimit[], tokens: number): Promise<LimiterResult>;
  /**
   * The states, without counting anything; with `tokens`, also whether a request of that size would have to wait.
   */
  look(limits: readonly RateLimit[], tokens?: number): Promise<readonly LimitState[]>;
}

interface LimiterOptions {
  clock: Clock;
  log: Log;
  /**
   * With script support the counters are shared; otherwise, and while it does not answer, this process counts alone.
   */
  keyValue: Pick<KeyValue, 'evaluate'>;
}

const LEASE_CHARACTERS = 16;
const LOG_EVERY_MS = 60_000;

export function createLimiter({ clock, log, keyValue }: LimiterOptions): Limiter {
  const { evaluate } = keyValue;
  const local = new LocalCounters(clock);
  if (!evaluate) return new LocalLimiter(local);
  return new SharedLimiter(local, new SharedCounters(evaluate), createFallbackLog(clock, log));
}

class LocalLimiter implements Limiter {
  readonly #counters: LocalCounters;

  constructor(counters: LocalCounters) {
    this.#counters = counters;
  }

  async look(limits: readonly RateLimit[], tokens?: number): Promise<readonly LimitState[]> {
    return this.#counters.look(limits, tokens);
  }

  async take(limits: readonly RateLimit[], tokens: number): Promise<LimiterResult> {
    const entry = this.#counters.takeIfFits(limits, tokens);
    if (!entry) return { states: this.#counters.look(limits, tokens) };
    let isOver = false;
    const end = (used: number): void => {
      if (isOver) return;
      isOver = true;
      this.#counters.end(entry, used);
    };
    return { states: this.#counters.look(limits, undefined), slot: { end } };
  }
}

/** Uses the shared counters and counts along locally, so that it knows the states if they become unavailable. */
class SharedLimiter implements Limiter {
  readonly #local: LocalCounters;
  readonly #shared: SharedCounters;
  readonly #logFallback: () => void;

  constructor(local: LocalCounters, shared: SharedCounters, logFallback: () => void) {
    this.#local = local;
    this.#shared = shared;
    this.#logFallback = logFallback;
  }

  async look(limits: readonly RateLimit[], tokens?: number): Promise<readonly LimitState[]> {
    return (await this.#shared.look(limits, tokens))?.states ?? this.#local.look(limits, tokens);
  }

  async take(limits: readonly RateLimit[], tokens: number): Promise<LimiterResult> {
    const lease = createRandomText(LEASE_CHARACTERS);
    const answer = await this.#shared.take(limits, tokens, lease);
    if (!answer) return this.#takeAlone(limits, tokens, lease);
    if (!answer.isAdmitted) return { states: answer.states };
    const entry = this.#local.take(limits, tokens);
    return { states: answer.states, slot: this.#open(entry, { lease, second: answer.second }) };
  }

  #takeAlone(limits: readonly RateLimit[], tokens: number, lease: string): LimiterResult {
    this.#logFallback();
    const entry = this.#local.takeIfFits(limits, tokens);
    if (entry) return { states: this.#local.look(limits, undefined), slot: this.#open(entry, { lease }) };
    // The command may have been executed although its answer was lost.
    this.#shared.end({ limits, lease, counted: 0, used: 0 });
    return { states: this.#local.look(limits, tokens) };
  }

  #open(entry: LocalEntry, { lease, second }: { lease: string; second?: number }): LimiterSlot {
    const { limits, tokens } = entry;
    this.#shared.keep(limits, lease);
    let isOver = false;
    const end = (used: number): void => {
      if (isOver) return;
      isOver = true;
      this.#local.end(entry, used);
      const counted = second === undefined ? 0 : amountOf('tokens', tokens);
      this.#shared.end({ limits, lease, counted, used, ...(second !== undefined && { second }) });
    };
    return { end };
  }
}

/** One log line per outage, and at most one a minute however often it recurs. */
function createFallbackLog(clock: Clock, log: Log): () => void {
  let lastMs = -Infinity;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lastMs >= LOG_EVERY_MS)
      log.warn({}, 'Redis does not answer; each process now counts rate limits on its own');
    lastMs = nowMs;
  };
}
