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

/** Those of one length stand in the order in which they end. */
const lines = new Map<number, Set<RunningDeadline>>();
let ticker: NodeJS.Timeout | undefined;

/**
 * Calls `run` after a time, unless it is stopped before, as nearly all are: every request has half a dozen of them. Starting and
 * stopping one costs a place in a set; a timer of node's costs several times as much and is exact, which limits need not be.
 */
export function startDeadline(limitMs: number, run: () => void): Deadline {
  let line = lines.get(limitMs);
  if (!line) {
    line = new Set();
    lines.set(limitMs, line);
  }
  ticker ??= setInterval(tick, TICK_MS);
  return new RunningDeadline({ limitMs, run, line });
}

class RunningDeadline implements Deadline {
  readonly run: () => void;
  readonly #limitMs: number;
  readonly #line: Set<RunningDeadline>;
  endsAtMs: number;

  constructor({ limitMs, run, line }: { limitMs: number; run: () => void; line: Set<RunningDeadline> }) {
    this.run = run;
    this.#limitMs = limitMs;
    this.#line = line;
    this.endsAtMs = systemClock.monotonicMs() + limitMs;
    line.add(this);
  }

  stop(): void {
    this.#line.delete(this);
  }

  refresh(): void {
    const endsAtMs = systemClock.monotonicMs() + this.#limitMs;
    // A stream refreshes with every read: a place that is less than a tick too early is kept, as `tick` makes up for it.
    if (endsAtMs - this.endsAtMs < TICK_MS || !this.#line.delete(this)) return;
    this.endsAtMs = endsAtMs;
    this.#line.add(this);
  }
}

function tick(): void {
  const nowMs = systemClock.monotonicMs();
  for (const [limitMs, line] of lines) {
    for (const deadline of line) {
      if (deadline.endsAtMs + TICK_MS > nowMs) break;
      deadline.stop();
      deadline.run();
    }
    if (line.size === 0) lines.delete(limitMs);
  }
  if (lines.size > 0) return;
  clearInterval(ticker);
  ticker = undefined;
}
