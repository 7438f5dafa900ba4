import { systemClock } from './clock.ts';

/** A running time limit. */
export interface Deadline {
  /** Cancels the deadline: the awaited event has happened, or is no longer awaited. */
  stop(): void;
  /** Restarts the full time limit. */
  refresh(): void;
  /** Since it was started or last restarted, to a tick. */
  readonly elapsedMs: number;
  /** The longest time from one restart to the next, to a tick. */
  readonly longestMs: number;
}

/** A deadline fires up to two ticks late, and never early. */
const TICK_MS = 20;
/** A tick this late means that the process did not run in between; a merely busy one is less late. */
const STALL_MS = 100;
/** A ticker that has not run for this long is replaced: a test that replaces timers may have taken it away. */
const LOST_MS = 1_000;

/** Deadlines of one length in the order they expire: a ring with a sentinel head. */
class Line {
  readonly limitMs: number;
  next: Line | RunningDeadline = this;
  previous: Line | RunningDeadline = this;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  get isEmpty(): boolean {
    return this.next === this;
  }
}

const lines = new Map<number, Line>();
let ticker: NodeJS.Timeout | undefined;
let tickedAtMs = 0;
/** When the clock was last read. */
let readAtMs = 0;
/** The total time for which this process was suspended; nothing was late during it, and answers may have arrived. */
let stalledMs = 0;

/** Monotonic time without the halts of this process, the latest included. */
function runningMs(): number {
  const nowMs = performance.now(); // the clock may be one that a test sets forward
  const lateMs = nowMs - readAtMs - TICK_MS;
  if (ticker && lateMs > STALL_MS) stalledMs += lateMs;
  readAtMs = nowMs;
  return systemClock.monotonicMs() - stalledMs;
}

/**
 * Calls `run` after a time unless stopped first, which is the usual case: every request starts about six deadlines. Time in
 * which this process does not run, because its machine is too busy, does not count.
 * Starting and stopping one is a list operation; a Node timer costs several times as much and is exact, which limits
 * need not be.
 */
export function startDeadline(limitMs: number, run: () => void): Deadline {
  let line = lines.get(limitMs);
  if (!line) {
    line = new Line(limitMs);
    lines.set(limitMs, line);
  }
  if (!ticker) {
    readAtMs = performance.now();
    startTicking();
  }
  const deadline = new RunningDeadline(line, run);
  if (readAtMs - tickedAtMs > LOST_MS) startTicking();
  return deadline;
}

function startTicking(): void {
  clearInterval(ticker);
  ticker = setInterval(tick, TICK_MS);
  tickedAtMs = readAtMs;
}

/**
 * Linked into the list directly, without a set or map: V8 may keep the old tables of a grown map until its next full
 * collection, and with them the requests they refer to.
 */
class RunningDeadline implements Deadline {
  readonly #line: Line;
  #run: (() => void) | undefined;
  endsAtMs: number;
  longestMs = 0;
  next: Line | RunningDeadline;
  previous: Line | RunningDeadline;

  constructor(line: Line, run: () => void) {
    this.#line = line;
    this.#run = run;
    this.endsAtMs = runningMs() + line.limitMs;
    this.next = line;
    this.previous = line.previous;
    this.#enter();
  }

  get elapsedMs(): number {
    return runningMs() + this.#line.limitMs - this.endsAtMs;
  }

  stop(): void {
    if (!this.#run) return;
    this.#run = undefined;
    this.#leave();
  }

  refresh(): void {
    if (!this.#run) return;
    const endsAtMs = runningMs() + this.#line.limitMs;
    // Every read of a stream refreshes. A position less than a tick too early is kept, because `tick` corrects for it.
    if (endsAtMs - this.endsAtMs < TICK_MS) return;
    this.longestMs = Math.max(this.longestMs, endsAtMs - this.endsAtMs);
    this.endsAtMs = endsAtMs;
    this.#leave();
    this.next = this.#line;
    this.previous = this.#line.previous;
    this.#enter();
  }

  end(): void {
    const run = this.#run;
    this.stop();
    run?.();
  }

  #enter(): void {
    this.previous.next = this;
    this.next.previous = this;
  }

  #leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = this.previous = this.#line; // unlinked, so that it retains no other deadline
  }
}

function tick(): void {
  const nowMs = runningMs();
  tickedAtMs = readAtMs;
  for (const [limitMs, line] of lines) {
    let first = line.next;
    while (first instanceof RunningDeadline && first.endsAtMs + TICK_MS <= nowMs) {
      first.end();
      first = line.next;
    }
    if (line.isEmpty) lines.delete(limitMs);
  }
  if (lines.size > 0) return;
  clearInterval(ticker);
  ticker = undefined;
}
