import { FailedShare, WEIGHT } from './failed-share.ts';
import type { HealthReport } from './health-report.ts';
import { MappingTimes, TIMINGS, type TimingName } from './mapping-times.ts';
import { PauseLengths } from './pause-lengths.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** How much the success of a probe weighs: a few restore trust, also where requests are rare. */
const PROBE_WEIGHT = 0.5;
/** How much the end of an answer weighs that began before a cut. */
const EARLIER_WEIGHT = 0.05;
/** A mapping that failed is trusted again when its share of failures is below this. */
const TRUSTED_SHARE = 0.15;
/** Sporadic failures up to this share are no reason to pause. */
const DISTRUSTED_SHARE = 0.3;
/** Above this, nothing is expected of another call. */
const FAILING_SHARE = 0.9;
/** Fewer attempts are no evidence. */
const LEAST_ATTEMPTS = 10;
/** The longest pause that a provider can request. */
const MOST_RETRY_AFTER_MS = 600_000;
/** Where nothing is expected of another call, one request probes it this often. */
const MOST_CLOSED_MS = 1_000;
/** Where others are better, such a pause takes this long at most. */
const MOST_FAILING_MS = 15_000;
/** After so many answers the next pause is short again, also where a failure cost time or an answer. */
const MANY_ANSWERS = 50;
/** A probe is waited for while it may have a result soon. */
const SOON_MS = 1_000;
/** After this time a probe without a result no longer blocks others. */
const PROBE_MS = 5_000;
const SLOW_PAUSE_MS = 5_000;

/** A failure of a mapping, with what is known about how long it lasts. */
interface MappingFailure {
  /** When the attempt began; by default, now. */
  startedMs?: number;
  /** The first pause after failures of this kind. */
  pauseMs: number;
  /** Whether one failure among successes is no reason to pause. */
  isSporadic?: boolean;
  /** Whether its answer had begun, so that no other call makes up for it. */
  hasBegun?: boolean;
  /** The time that the provider named; it is not called before. */
  retryAfterMs?: number | undefined;
  /** Whether it is about the credential: others of the provider may work. */
  isOfCredential?: boolean;
}

/**
 * Whether a mapping may be called. `due`: after a pause, one request may try it. `poor`: only where nothing better is left.
 * `closed`: not to be called before the end of its pause.
 */
export type HealthState = 'healthy' | 'due' | 'poor' | 'closed';

/** The health of one mapping with one credential, learnt from its attempts; times on the monotonic clock. */
export class MappingHealth extends MappingTimes {
  readonly waiting = new WaitingCalls();
  /** Timings from before the last pause: they count until the next attempt measures again. */
  #outdated = new Set<TimingName>();
  /** Attempts that began before this say nothing about the speed. */
  #measuredFromMs = -Infinity;
  /** When the last attempt began that succeeded. */
  #succeededFromMs = -Infinity;
  /** Its answers are those since the last pause began. */
  readonly #failed = new FailedShare();
  #isTrusted = true;
  #pausedFromMs = -Infinity;
  /** The start of the attempt whose failure began the pause. */
  #failedFromMs = -Infinity;
  #pausedUntilMs = -Infinity;
  /** Whether the provider itself named the end of the pause. */
  #hasRetryAfter = false;
  /** Whether the pause is one that a provider requested of another process. */
  #isAdopted = false;
  /** Whether the pause is about the credential, not the provider. */
  #isOfCredential = false;
  readonly #lengths = new PauseLengths();
  #probedUntilMs = -Infinity;
  /** Whether answers were cut or slow since it was trusted, so that one that has begun shows nothing yet. */
  #showsAtEnd = false;

  get failedShare(): number {
    return this.#failed.value;
  }

  /** Whether this process has called it. */
  get isCalled(): boolean {
    return this.#failed.attempts > 0;
  }

  /** Whether anything is known of it, from calls of this process or reports of others. */
  isKnownAt(nowMs: number): boolean {
    const times = [this.firstEvent, this.whole, this.perToken];
    return this.isCalled || this.stateAt(nowMs) !== 'healthy' || times.some(({ count }) => count > 0);
  }

  /** Whether it may be called like any other. */
  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  /** Whether failures of other credentials of the provider also count for this one. */
  get heedsPeers(): boolean {
    return this.#isTrusted || !this.#isOfCredential;
  }

  /** When the pause ends: earlier if requests are refused meanwhile than if other mappings are only preferred. */
  get pausedUntilMs(): number {
    if (this.#hasRetryAfter || !this.isFailing) return this.#pausedUntilMs;
    return Math.min(this.#pausedUntilMs, this.#pausedFromMs + MOST_CLOSED_MS);
  }

  /** Whether the provider itself named the end of the pause. */
  get hasRetryAfter(): boolean {
    return this.#hasRetryAfter;
  }

  /** Whether every call has failed lately. */
  get isFailing(): boolean {
    return this.failedShare >= FAILING_SHARE && this.#failed.attempts >= LEAST_ATTEMPTS;
  }

  /** Whether it is called only where nothing better is left, although it may be. */
  isLastResortAt(nowMs: number): boolean {
    return this.isFailing && nowMs < this.#restUntilMs;
  }

  /** When one request probes it although others are better. */
  get #restUntilMs(): number {
    if (this.#hasRetryAfter || !this.isFailing) return this.#pausedUntilMs;
    return Math.min(this.#pausedUntilMs, this.#pausedFromMs + this.#lengths.atMost(MOST_FAILING_MS));
  }

  stateAt(nowMs: number): HealthState {
    if (this.#isTrusted) return 'healthy';
    const isProbed = nowMs < this.#probedUntilMs;
    if (nowMs >= this.pausedUntilMs && !isProbed) return 'due';
    if (this.isFailing) return 'closed';
    return this.#hasRetryAfter && nowMs < this.pausedUntilMs ? 'closed' : 'poor';
  }

  /** Records a request that may call this mapping or another. */
  see(nowMs: number): void {
    this.#lengths.see(nowMs);
  }

  /** Keeps other requests from probing until this one has a result. */
  probe(nowMs: number): void {
    this.#probedUntilMs = nowMs + PROBE_MS;
  }

  /** Whether another request has just begun to probe it. */
  isProbedAt(nowMs: number): boolean {
    return nowMs < this.#probedUntilMs - PROBE_MS + SOON_MS;
  }

  /**
   * An answer has begun, so not every call fails. It counts now, not at its end: failures are known earlier, and while answers
   * are long only failures would count. A probe counts at its end only if answers were cut or slow. A call from before the
   * pause counts only if it began no earlier than the one whose failure began the pause.
   */
  begin(startedMs: number): void {
    this.waiting.begin(startedMs);
    if (this.isFailing) this.#failed.set(FAILING_SHARE - WEIGHT / 2);
    const isOfPause =
      startedMs < this.#pausedFromMs ? startedMs >= this.#failedFromMs : startedMs < this.pausedUntilMs;
    if (this.#isTrusted || isOfPause) this.#failed.count(0);
    else if (startedMs >= this.pausedUntilMs && !this.#showsAtEnd) this.#countProbe();
  }

  /** Whether an attempt has succeeded that began later. */
  hasSucceededSince(startedMs: number): boolean {
    return startedMs < this.#succeededFromMs;
  }

  /** An answer has ended well. What began before a pause does not end it, but shows that not all are cut any more. */
  succeed(startedMs: number, nowMs = startedMs): void {
    this.#succeededFromMs = Math.max(this.#succeededFromMs, startedMs);
    if (this.#isTrusted) return;
    if (startedMs < this.#pausedFromMs) {
      if (!this.#showsAtEnd || nowMs < this.pausedUntilMs) return;
      this.#failed.count(0, EARLIER_WEIGHT);
    } else if (startedMs >= this.pausedUntilMs && this.#showsAtEnd) {
      this.#countProbe();
      return;
    }
    this.#probedUntilMs = -Infinity;
    this.#trust();
  }

  #countProbe(): void {
    this.#probedUntilMs = -Infinity;
    this.#failed.count(0, PROBE_WEIGHT);
    this.#trust();
  }

  #trust(): void {
    if (this.failedShare >= TRUSTED_SHARE) return;
    this.#isTrusted = true;
    this.#showsAtEnd = false;
  }

  fail(nowMs: number, failure: MappingFailure): void {
    const { startedMs = nowMs, isSporadic, hasBegun, isOfCredential = false } = failure;
    const { pauseMs, retryAfterMs } = failure;
    if (hasBegun && (this.#isTrusted || startedMs < this.pausedUntilMs)) this.#failed.uncount();
    else if (hasBegun && !this.#showsAtEnd) this.#failed.uncount(PROBE_WEIGHT);
    this.#failed.count(1);
    if (retryAfterMs === undefined) {
      if (this.#isTrusted && isSporadic && this.failedShare < DISTRUSTED_SHARE) return;
      if (!this.#isTrusted && startedMs < this.#pausedFromMs) return;
    }
    if (hasBegun) this.#showsAtEnd = true;
    this.#isOfCredential = isOfCredential || (this.#isOfCredential && nowMs < this.pausedUntilMs);
    const isFirst = this.#isTrusted || nowMs >= this.pausedUntilMs;
    this.#failedFromMs = isFirst ? startedMs : Math.min(startedMs, this.#failedFromMs);
    if (this.#failed.answers >= (isSporadic && !hasBegun ? LEAST_ATTEMPTS : MANY_ANSWERS))
      this.#lengths.forgive();
    this.#pause(nowMs, pauseMs, retryAfterMs);
  }

  /** A sample of an attempt. */
  measure(timing: TimingName, startedMs: number, ms: number): void {
    if (startedMs < this.#measuredFromMs) return;
    if (startedMs >= this.#pausedFromMs && this.#outdated.delete(timing)) this[timing].reset();
    this[timing].add(ms);
  }

  /** Records that it is too slow. Unlike after a failure, its times stay known; the next probe measures them again. */
  slowDown(nowMs: number): void {
    this.#failed.set(Math.max(this.failedShare, TRUSTED_SHARE * 2));
    this.#pause(nowMs, SLOW_PAUSE_MS);
    this.#showsAtEnd = true;
    this.#isOfCredential = false;
    this.#measuredFromMs = nowMs;
    this.resetSpeed();
  }

  /** The health to share with other processes. */
  report(nowMs: number): HealthReport {
    const { firstEvent, whole, perToken } = this;
    return {
      isTrusted: this.#isTrusted,
      failedShare: this.failedShare,
      pausedMs: this.#isTrusted ? 0 : Math.max(0, this.pausedUntilMs - nowMs),
      hasRetryAfter: this.#hasRetryAfter && !this.#isAdopted,
      ...(firstEvent.count > 0 && { firstEventMs: firstEvent.mean }),
      ...(whole.count > 0 && { wholeMs: whole.mean }),
      ...(perToken.count > 0 && { msPerToken: perToken.mean }),
    };
  }

  /**
   * Takes over the times of another process where there are none, and the pause that a provider asked it for. Its
   * failures are its own: a broken network of one process must not take a provider from all.
   */
  adopt({ pausedMs, hasRetryAfter, firstEventMs, wholeMs, msPerToken }: HealthReport, nowMs: number): void {
    if (this.firstEvent.count === 0 && firstEventMs !== undefined) this.firstEvent.add(firstEventMs);
    if (this.whole.count === 0 && wholeMs !== undefined) this.whole.add(wholeMs);
    if (this.perToken.count === 0 && msPerToken !== undefined) this.perToken.add(msPerToken);
    if (!hasRetryAfter || pausedMs <= 0 || this.#pausedUntilMs >= nowMs + pausedMs) return;
    this.#pause(nowMs, 0, pausedMs);
    this.#isAdopted = true;
    this.#isOfCredential = true; // what another credential shows here does not end it
  }

  /** Takes the state of a report. */
  restore({ isTrusted, failedShare, hasRetryAfter, ...report }: HealthReport, nowMs: number): void {
    this.adopt({ ...report, isTrusted, failedShare, hasRetryAfter: false }, nowMs);
    this.#failed.set(failedShare, LEAST_ATTEMPTS);
    this.#isTrusted = isTrusted;
    this.#hasRetryAfter = hasRetryAfter;
    this.#pausedFromMs = nowMs;
    this.#pausedUntilMs = nowMs + report.pausedMs;
  }

  #pause(nowMs: number, firstMs: number, retryAfterMs?: number): void {
    const { isTrusted, pausedUntilMs } = this;
    const isOver = nowMs >= pausedUntilMs;
    const ownMs = this.#lengths.next({ nowMs, firstMs, isTrusted, pausedUntilMs });
    // A failure that began before the pause does not make it longer.
    if (isOver || this.#isTrusted || retryAfterMs !== undefined) this.#begin(nowMs);
    this.#probedUntilMs = -Infinity;
    this.#isTrusted = false;
    this.#isAdopted = false;
    const hadRetryAfter = this.#hasRetryAfter && !isOver;
    this.#hasRetryAfter = retryAfterMs !== undefined || hadRetryAfter;
    const lengthMs = retryAfterMs === undefined ? ownMs : Math.min(retryAfterMs, MOST_RETRY_AFTER_MS);
    // The time that the provider named replaces a pause of our own, even a longer one.
    const leastMs = retryAfterMs === undefined || hadRetryAfter ? this.#pausedUntilMs : nowMs;
    this.#pausedUntilMs = Math.max(leastMs, nowMs + lengthMs);
  }

  #begin(nowMs: number): void {
    this.#pausedFromMs = nowMs;
    this.#failed.resetAnswers();
    this.#outdated = new Set(TIMINGS.filter((timing) => timing !== 'silence'));
  }
}
