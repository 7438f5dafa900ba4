import type { Timeouts } from '../../request/ports.ts';
import type { StallWatch } from '../attempt-types.ts';
import { type Deadline, startDeadline } from '#base';

/** A whole answer arrives with its last token, so it may take this many times as long as a first event. */
const WHOLE_ANSWER_FACTOR = 5;
/** A stream has stalled when it is silent for this many times the usual silence. */
const STALL_FACTOR = 2;
/** The shortest stall, as a share of the idle timeout. */
const STALL_SHARE = 1 / 12;
/** The same when the client disconnects. */
const DISCONNECT_SHARE = 1 / 40;
/** The same, in either case, while the usual silence is unknown. */
const UNKNOWN_SHARE = 1 / 6;
/** Limits are rounded up to this: each length of deadline has a list of its own. */
const STEP_MS = 100;
const CUT = 'the provider stopped in the middle of its response, and sent nothing for';

/** The timeouts of one attempt: first event, idle and total. */
export class AttemptClocks {
  readonly #findTimeouts: () => Timeouts;
  readonly #onTimeout: (message: string) => void;
  #stalls: StallWatch | undefined;
  #hasStalled = false;
  #silence: Deadline | undefined;
  #total: Deadline | undefined;
  #longestMs = 0;

  constructor(findTimeouts: () => Timeouts, onTimeout: (message: string) => void, stalls?: StallWatch) {
    this.#findTimeouts = findTimeouts;
    this.#onTimeout = onTimeout;
    this.#stalls = stalls;
  }

  /** The longest silence since the answer began. */
  get longestSilenceMs(): number {
    return Math.max(this.#longestMs, this.#silence?.longestMs ?? 0);
  }

  /** Starts the timeouts for a streamed or a whole answer. */
  start(awaited: 'event' | 'whole'): void {
    const { firstEventMs, totalMs } = this.#findTimeouts();
    const beginMs =
      awaited === 'event' ? firstEventMs : Math.min(totalMs, firstEventMs * WHOLE_ANSWER_FACTOR);
    this.#silence = this.#set(beginMs, 'the provider did not start its response within');
    this.#total = this.#set(totalMs, 'the provider did not finish its response within');
  }

  /** Restarts the idle timeout. */
  refresh(): void {
    if (this.#hasStalled) this.awaitNext();
    else this.#silence?.refresh();
  }

  awaitNext(): void {
    this.pause();
    this.#hasStalled = false;
    const { idleMs } = this.#findTimeouts();
    const stallMs = this.#findStall(STALL_SHARE);
    this.#silence =
      stallMs < idleMs ? startDeadline(stallMs, () => this.#stall(idleMs, stallMs)) : this.#set(idleMs, CUT);
  }

  /** While the caller does not read, a silent provider is not at fault. */
  pause(): void {
    this.#longestMs = this.longestSilenceMs;
    this.#silence?.stop();
    this.#silence = undefined;
  }

  /** The caller disconnects, perhaps because the stream has stalled. */
  leave(): void {
    if (this.#silence && this.#silence.elapsedMs > this.#findStall(DISCONNECT_SHARE)) this.#reportStall();
  }

  stop(): void {
    this.#silence?.stop();
    this.#total?.stop();
  }

  /** How long a silence may be. */
  #findStall(leastShare: number): number {
    if (!this.#stalls) return Infinity;
    const { idleMs } = this.#findTimeouts();
    const { usualMs, isKnown } = this.#stalls;
    const ms = Math.max(usualMs * STALL_FACTOR, idleMs * (isKnown ? leastShare : UNKNOWN_SHARE));
    return Math.ceil(ms / STEP_MS) * STEP_MS;
  }

  #stall(idleMs: number, elapsedMs: number): void {
    this.#hasStalled = true;
    this.#silence = this.#set(idleMs - elapsedMs, CUT, idleMs);
    this.#reportStall();
  }

  #reportStall(): void {
    const stalls = this.#stalls;
    this.#stalls = undefined;
    stalls?.onStall();
  }

  /** `limitMs`: the whole limit, of which `ms` are left. */
  #set(ms: number, message: string, limitMs = ms): Deadline {
    return startDeadline(ms, () => this.#onTimeout(`${message} ${limitMs / 1_000} s`));
  }
}
