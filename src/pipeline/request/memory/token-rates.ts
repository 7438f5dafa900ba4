import type { Mapping } from '#catalogue';

/** For a mapping without answers yet: slower than most, so that estimates are low rather than high. */
const USUAL_RATE = 50;
/** No model is faster: such an answer was not generated during the request. */
const MOST_RATE = 5_000;
/** The duration of a shorter answer depends on the queue rather than the model. */
const LEAST_TOKENS = 64;
/** The weight of all earlier answers after one more. */
const KEPT = 0.8;

/**
 * Output tokens per second of each mapping, from dispatch to the end of an answer, learnt from recent answers whose
 * usage was reported.
 */
export class TokenRates {
  readonly #seen = new WeakMap<Mapping, { tokens: number; ms: number }>();

  record(mapping: Mapping, tokens: number, ms: number): void {
    if (tokens < LEAST_TOKENS || ms <= 0) return;
    const seen = this.#seen.get(mapping) ?? { tokens: 0, ms: 0 };
    this.#seen.set(mapping, { tokens: seen.tokens * KEPT + tokens, ms: seen.ms * KEPT + ms });
  }

  /** Tokens per second. */
  find(mapping: Mapping): number {
    const seen = this.#seen.get(mapping);
    return seen ? Math.min(MOST_RATE, (seen.tokens / seen.ms) * 1_000) : USUAL_RATE;
  }
}
