import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be interrupted wherever it yields. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** How long work in turns may keep the event loop, plus its longest step. */
const SLICE_MS = 10;

/** Does all of it at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does it in slices, between which the event loop is free for everything else. */
export async function runInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (let untilMs = performance.now() + SLICE_MS; ;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < untilMs) continue;
    await nextTurn();
    untilMs = performance.now() + SLICE_MS;
  }
}
