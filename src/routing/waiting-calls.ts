import { startDeadline } from '#base';

/** So many calls in a row without an answer show that a mapping is silent to all. */
const LEAST_MISSED = 2;
/** So many are notified at once, and the next after a time: hundreds would be too much for the next provider and the event loop. */
const NOTIFIED_AT_ONCE = 20;
const NEXT_MS = 20;

/** A call without an answer so far. */
interface WaitingCall {
  startedMs: number;
  /** Its mapping has fallen silent. */
  onSilence: (() => void) | undefined;
}

/** The calls that await an answer of a mapping; notified where it answers none of them. Times on the monotonic clock. */
export class WaitingCalls {
  readonly #calls = new Set<WaitingCall>();
  /** When the last call began that was answered. */
  #answeredFromMs = -Infinity;
  /** Calls in a row that were silent for longer than usual, and when the first of them began. */
  #missed = 0;
  #missedFromMs = Infinity;

  /** Adds a call; returns what removes it. */
  add(startedMs: number, onSilence: () => void): () => void {
    const call: WaitingCall = { startedMs, onSilence };
    this.#calls.add(call);
    return () => {
      // V8 may keep old tables of a set: what they refer to must not retain the request.
      call.onSilence = undefined;
      this.#calls.delete(call);
    };
  }

  /** An answer has begun. */
  begin(startedMs: number): void {
    this.#answeredFromMs = Math.max(this.#answeredFromMs, startedMs);
    if (startedMs < this.#missedFromMs) return;
    this.#missed = 0;
    this.#missedFromMs = Infinity;
  }

  /** A call was silent for longer than usual: if none that began later is answered, the others may wait in vain, too. */
  miss(startedMs: number, nowMs: number): void {
    if (startedMs < this.#answeredFromMs) return;
    this.#missed += 1;
    this.#missedFromMs = Math.min(startedMs, this.#missedFromMs);
    // A copy, because those that are notified may call this mapping again, with another credential.
    this.#notify([...this.#calls].filter((call) => call.startedMs < nowMs));
  }

  #notify(calls: WaitingCall[]): void {
    if (this.#missed < LEAST_MISSED) return;
    for (const call of calls.splice(0, NOTIFIED_AT_ONCE)) call.onSilence?.();
    if (calls.length > 0) startDeadline(NEXT_MS, () => this.#notify(calls));
  }
}
