import { startDeadline } from '#base';
import type { SampledTiming } from './timing.ts';

/** So many calls in a row without an answer show that a mapping is silent to all. */
const LEAST_MISSED = 2;
/** So many are notified at once, and the next after a time: hundreds would be too much for the next provider and the event loop. */
const NOTIFIED_AT_ONCE = 20;
const NEXT_MS = 20;

/** Waits less likely than this, as a negative logarithm, suggest that the mapping has stopped answering. */
const UNLIKELY = Math.log(1_000);
/** Fewer answers do not show how long they usually take. */
const LEAST_SAMPLES = 8;
/** An answer may take this many times as long as usual, and this much longer. */
const SLACK = 1.25;
const SLACK_MS = 300;
/** So many calls find out whether another mapping answers sooner. */
const MOST_TRIED = 4;
const CHECK_MS = 200;

/** A call without an answer so far. */
interface AwaitedCall {
  startedMs: number;
  /** How long this process has waited for it. */
  readonly waitedMs: number;
  /** How long answers of its kind take; absent where the first event shows sooner whether the mapping answers. */
  usual: SampledTiming | undefined;
  /** Its mapping answers no call; unless `isSure`, that is only likely. Returns whether another is called. */
  onSilence(isSure: boolean): boolean;
}

interface WaitingCall {
  awaited: AwaitedCall | undefined;
  startedMs: number;
}

/** The open calls of a mapping, which are notified when it seems to have stopped answering. Times on the monotonic clock. */
export class WaitingCalls {
  readonly #calls = new Set<WaitingCall>();
  /** When the last call began that was answered. */
  #answeredFromMs = -Infinity;
  /** Calls in a row that were silent for longer than usual, and when the first of them began. */
  #missed = 0;
  #missedFromMs = Infinity;
  /** Calls that try another mapping because this one may be silent to all, and when the first of them began. */
  #tried = 0;
  #triedFromMs = Infinity;
  #isWatched = false;

  /** Adds a call; returns what removes it. */
  add(awaited: AwaitedCall): () => void {
    const call: WaitingCall = { awaited, startedMs: awaited.startedMs };
    this.#calls.add(call);
    if (awaited.usual) this.#watch();
    return () => {
      // V8 may keep old tables of a set: what they refer to must not retain the request.
      call.awaited = undefined;
      this.#calls.delete(call);
    };
  }

  /** An answer has begun. */
  begin(startedMs: number): void {
    this.#answeredFromMs = Math.max(this.#answeredFromMs, startedMs);
    if (startedMs >= this.#triedFromMs) this.#tried = 0;
    if (startedMs < this.#missedFromMs) return;
    this.#missed = 0;
    this.#missedFromMs = Infinity;
  }

  /** A call was silent for longer than usual: if none that began later is answered, the others may wait in vain, too. */
  miss(startedMs: number, nowMs: number): void {
    if (startedMs < this.#answeredFromMs) return;
    this.#missed += 1;
    this.#missedFromMs = Math.min(startedMs, this.#missedFromMs);
    if (this.#missed < LEAST_MISSED) return;
    // A copy, because those that are notified may call this mapping again, with another credential.
    this.#notify([...this.#calls].filter((call) => call.startedMs < nowMs));
  }

  #notify(calls: WaitingCall[]): void {
    if (this.#missed === 0) return;
    for (const call of calls.splice(0, NOTIFIED_AT_ONCE)) call.awaited?.onSilence(true);
    if (calls.length > 0) startDeadline(NEXT_MS, () => this.#notify(calls));
  }

  /** Looks at the waiting calls from time to time while there are any. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    startDeadline(CHECK_MS, () => {
      this.#isWatched = false;
      const calls = this.#listDoubtful();
      if (calls && this.#missed > 0) this.#notify([...this.#calls]);
      else if (calls) this.#try(calls);
      if (this.#calls.size > 0) this.#watch();
    });
  }

  /** Calls that began after the last that was answered and take long, if it is unlikely that all of them do. */
  #listDoubtful(): AwaitedCall[] | undefined {
    const doubtful: AwaitedCall[] = [];
    let unlikely = 0;
    for (const { awaited } of this.#calls) {
      if (!awaited?.usual || awaited.startedMs < this.#answeredFromMs) continue;
      if (awaited.usual.count < LEAST_SAMPLES) continue;
      const share = awaited.usual.shareAbove((awaited.waitedMs - SLACK_MS) / SLACK);
      if (share === 1) continue;
      doubtful.push(awaited);
      unlikely -= Math.log(share);
    }
    return unlikely >= UNLIKELY ? doubtful : undefined;
  }

  /** A few of them call another mapping, too: if that answers first, this one is silent. */
  #try(calls: readonly AwaitedCall[]): void {
    for (const call of calls) {
      if (this.#tried >= MOST_TRIED) return;
      if (!call.onSilence(false)) continue;
      if (this.#tried === 0) this.#triedFromMs = call.startedMs;
      this.#tried += 1;
    }
  }
}
