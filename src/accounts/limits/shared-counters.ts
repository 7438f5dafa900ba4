import type { KeyValue } from '#storage';
import type { RateLimit } from './rate-limits.ts';
import type { LimitState } from './limit-state.ts';
import { amountOf } from './local-counters.ts';
import { END, RENEW, TAKE } from './scripts.ts';

type Evaluate = NonNullable<KeyValue['evaluate']>;

/** An answer of the shared counters. */
interface SharedAnswer {
  isAdmitted: boolean;
  /** The second, by the shared clock, in which it was counted. */
  second: number;
  states: LimitState[];
}

/** A request that ends, with its tokens as counted there and as used. */
interface SharedEnd {
  limits: readonly RateLimit[];
  lease: string;
  second?: number;
  counted: number;
  used: number;
}

/** The slots of a crashed process are freed after this time. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
const RENEWED_AT_ONCE = 200;

/** Counters in Redis. If it does not answer, `take` and `look` return undefined and other calls are dropped. */
export class SharedCounters {
  readonly #evaluate: Evaluate;
  /** Slots held by this process: the counters of each lease. */
  readonly #held = new Map<string, readonly string[]>();
  #renewal: NodeJS.Timeout | undefined;

  constructor(evaluate: Evaluate) {
    this.#evaluate = evaluate;
  }

  async take(limits: readonly RateLimit[], tokens: number, lease: string): Promise<SharedAnswer | undefined> {
    const args = limits.flatMap(({ kind, most }) => [kind, most, amountOf(kind, tokens)]);
    return readAnswer(limits, await this.#evaluate(TAKE, countersOf(limits), [lease, LEASE_MS, ...args]));
  }

  async look(limits: readonly RateLimit[], tokens?: number): Promise<SharedAnswer | undefined> {
    const args = limits.flatMap(({ kind, most }) => [
      kind,
      most,
      tokens === undefined ? 0 : amountOf(kind, tokens),
    ]);
    return readAnswer(limits, await this.#evaluate(TAKE, countersOf(limits), ['', LEASE_MS, ...args]));
  }

  /** Renews the slots of a request until it ends, including those that Redis missed or lost. */
  keep(limits: readonly RateLimit[], lease: string): void {
    const places = countersOf(limits.filter(({ kind }) => kind === 'concurrency'));
    if (places.length === 0) return;
    this.#held.set(lease, places);
    this.#renewal ??= setInterval(() => void this.#renew(), RENEW_EVERY_MS).unref();
  }

  end({ limits, lease, second = 0, counted, used }: SharedEnd): void {
    this.#held.delete(lease);
    if (this.#held.size === 0) {
      clearInterval(this.#renewal);
      this.#renewal = undefined;
    }
    const touched = limits.filter(({ kind }) => kind !== 'requests');
    if (touched.length === 0) return;
    const short = Math.ceil(used) - counted;
    const args = touched.flatMap(({ kind }) => [kind, short]);
    void this.#evaluate(END, countersOf(touched), [lease, second, ...args]);
  }

  async #renew(): Promise<void> {
    const held = [...this.#held].flatMap(([lease, counters]) =>
      counters.map((counter) => ({ lease, counter })),
    );
    for (let at = 0; at < held.length; at += RENEWED_AT_ONCE) {
      const due = held.slice(at, at + RENEWED_AT_ONCE).filter(({ lease }) => this.#held.has(lease));
      const leases = due.map(({ lease }) => lease);
      await this.#evaluate(RENEW, countersOf(due), [LEASE_MS, ...leases]);
    }
  }
}

function countersOf(items: readonly { counter: string }[]): string[] {
  return items.map(({ counter }) => counter);
}

/** Numbers in the order of the limits; anything else counts as no answer. */
function readAnswer(limits: readonly RateLimit[], value: unknown): SharedAnswer | undefined {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'number')) return undefined;
  const [admitted, second, ...figures] = value;
  if (second === undefined || figures.length !== 3 * limits.length) return undefined;
  const states = limits.map((limit, index) => {
    const [used, waitMs, resetMs] = figures.slice(3 * index) as [number, number, number];
    return { limit, used, waitMs: waitMs < 0 ? Infinity : waitMs, resetMs };
  });
  return { isAdmitted: admitted === 1, second, states };
}
