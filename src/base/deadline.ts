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

/** By their length. */
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

/** Deadlines of one length in the order in which they end, each tied to its neighbours: coming and going allocates nothing. */
class Line {
  readonly limitMs: number;
  first: RunningDeadline | undefined;
  #last: RunningDeadline | undefined;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  join(deadline: RunningDeadline): void {
    deadline.before = this.#last;
    deadline.after = undefined;
    if (this.#last) this.#last.after = deadline;
    else this.first = deadline;
    this.#last = deadline;
  }

  leave({ before, after }: RunningDeadline): void {
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.#last = before;
  }
}

class RunningDeadline implements Deadline {
  readonly run: () => void;
  readonly #line: Line;
  before: RunningDeadline | undefined;
  after: RunningDeadline | undefined;
  endsAtMs: number;
  #isRunning = true;

  constructor(line: Line, run: () => void) {
    this.run = run;
    this.#line = line;
    this.endsAtMs = systemClock.monotonicMs() + line.limitMs;
    line.join(this);
  }

  stop(): void {
    if (this.#isRunning) this.#line.leave(this);
    this.#isRunning = false;
  }

  refresh(): void {
    const endsAtMs = systemClock.monotonicMs() + this.#line.limitMs;
    // A stream refreshes with every read: a place that is less than a tick too early is kept, as `tick` makes up for it.
    if (endsAtMs - this.endsAtMs < TICK_MS || !this.#isRunning) return;
    this.endsAtMs = endsAtMs;
    this.#line.leave(this);
    this.#line.join(this);
  }
}

function tick(): void {
  const nowMs = systemClock.monotonicMs();
  for (const line of lines.values()) {
    for (let { first } = line; first && first.endsAtMs + TICK_MS <= nowMs; { first } = line) {
      first.stop();
      first.run();
    }
    if (!line.first) lines.delete(line.limitMs);
  }
  if (lines.size > 0) return;
  clearInterval(ticker);
  ticker = undefined;
}
