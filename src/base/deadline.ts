import { systemClock } from './clock.ts';

/** A time limit that is running. */
export interface Deadline {
  /** What it was for has happened, or is not awaited any more. */
  stop(): void;
  /** Gives it its whole time again. */
  refresh(): void;
}

/** A deadline is told up to two of these late, and never early. */
const TICK_MS = 20;

/** Those of one length, in the order in which they end: a ring that begins and ends at its head. */
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

/**
 * Calls `run` after a time, unless it is stopped before, as nearly all are: every request has half a dozen of them. Starting and
 * stopping one costs a place in a line; a timer of node's costs several times as much and is exact, which limits need not be.
 */
export function startDeadline(limitMs: number, run: () => void): Deadline {
  let line = lines.get(limitMs);
  if (!line) {
    line = new Line(limitMs);
    lines.set(limitMs, line);
  }
  ticker ??= setInterval(tick, TICK_MS);
  return new RunningDeadline(line, run);
}

/**
 * Its neighbours are its place, and no set or map knows it: V8 may keep the tables that those outgrow until its next full
 * collection, and with them requests whose deadline stood there.
 */
class RunningDeadline implements Deadline {
  readonly #line: Line;
  #run: (() => void) | undefined;
  endsAtMs: number;
  next: Line | RunningDeadline;
  previous: Line | RunningDeadline;

  constructor(line: Line, run: () => void) {
    this.#line = line;
    this.#run = run;
    this.endsAtMs = systemClock.monotonicMs() + line.limitMs;
    this.next = line;
    this.previous = line.previous;
    this.#enter();
  }

  stop(): void {
    if (!this.#run) return;
    this.#run = undefined;
    this.#leave();
  }

  refresh(): void {
    if (!this.#run) return;
    const endsAtMs = systemClock.monotonicMs() + this.#line.limitMs;
    // A stream refreshes with every read: a place that is less than a tick too early is kept, as `tick` makes up for it.
    if (endsAtMs - this.endsAtMs < TICK_MS) return;
    this.endsAtMs = endsAtMs;
    this.#leave();
    this.next = this.#line;
    this.previous = this.#line.previous;
    this.#enter();
  }

  /** Its time is up. */
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
    this.next = this.previous = this.#line; // one that is over holds no other
  }
}

function tick(): void {
  const nowMs = systemClock.monotonicMs();
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
