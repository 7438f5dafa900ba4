const MOST_PAUSE_MS = 60_000;
/** After this long without a failure, the next pause is short again. */
const FORGIVEN_AFTER_MS = 60_000;
/** Where requests are further apart than this, each would soon be a probe: a pause may take as long as several of them. */
const LEAST_GAP_MS = 15_000;
const MOST_GAPS = 10;
/** After a night without requests, old measurements are outdated. */
const MOST_GAP_MS = 180_000;
/** How much the last gap weighs. */
const WEIGHT = 0.2;

/** A failure that begins or extends a pause. */
interface PausingFailure {
  nowMs: number;
  /** The first pause after failures of this kind. */
  firstMs: number;
  /** Whether the mapping was trusted before. */
  isTrusted: boolean;
  /** When the pause before ends or ended. */
  pausedUntilMs: number;
}

/**
 * The lengths of a mapping's pauses. They double with each probe that fails, up to a minute or, where requests are rare, the
 * time in which ten arrive.
 */
export class PauseLengths {
  #pauses = 0;
  #lastFailureMs = -Infinity;
  /** The mean time between the last few requests. */
  #gapMs = 0;
  #gaps = 0;
  #seenMs: number | undefined;

  /** Records a request that may call the mapping. */
  see(nowMs: number): void {
    if (this.#seenMs !== undefined) {
      const gapMs = Math.min(nowMs - this.#seenMs, MOST_GAP_MS);
      this.#gaps += 1;
      this.#gapMs += Math.max(WEIGHT, 1 / this.#gaps) * (gapMs - this.#gapMs);
    }
    this.#seenMs = nowMs;
  }

  /** Makes the next pause a first one. */
  forgive(): void {
    this.#lastFailureMs = -Infinity;
  }

  /** The length of a pause after a failure. */
  next({ nowMs, firstMs, isTrusted, pausedUntilMs }: PausingFailure): number {
    const pausedForMs = Math.max(0, pausedUntilMs - this.#lastFailureMs);
    const isLately = nowMs - this.#lastFailureMs < FORGIVEN_AFTER_MS + pausedForMs;
    // A mapping that is not trusted again has shown nothing good, however long that took.
    const isRepeated = this.#lastFailureMs > -Infinity && (isLately || !isTrusted);
    this.#pauses = isRepeated ? this.#pauses + Number(nowMs >= pausedUntilMs) : 0;
    this.#lastFailureMs = nowMs;
    const leastMs = this.#pauses === 0 ? 0 : this.#rareMs;
    return Math.min(Math.max(firstMs, leastMs) * 2 ** this.#pauses, this.atMost(MOST_PAUSE_MS));
  }

  /** A limit of a pause; where requests are rare, the time of several. */
  atMost(limitMs: number): number {
    return Math.max(limitMs, MOST_GAPS * this.#rareMs);
  }

  /** The mean time between requests if they are rare, else 0. */
  get #rareMs(): number {
    return this.#gapMs < LEAST_GAP_MS ? 0 : this.#gapMs;
  }
}
