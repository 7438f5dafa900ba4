import { setTimeout as sleep } from 'node:timers/promises';

/** The longest step of work that can be interrupted. */
const SLICE_MS = 10;

/** The pause after a step, as a multiple of its duration. */
const REST = 3;

let free = Promise.resolve();

/**
 * Does one step of a request. Steps of heavy requests wait for each other, and after each the thread is left to everything
 * else for three times as long as the step took: large bodies mostly delay other large bodies.
 */
export function inTurn<T>(isHeavy: boolean | undefined, step: () => T): T | Promise<T> {
  if (!isHeavy) return step();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  free = free.then(async () => {
    const startedMs = performance.now();
    try {
      resolve(step());
    } catch (thrown) {
      reject(thrown);
    }
    await sleep(REST * (performance.now() - startedMs));
  });
  return promise;
}

/** Runs the work of a heavy request in slices; each slice is a step. */
export async function inTurns<T>(work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    const { done, value } = await inTurn(true, () => runSlice(work));
    if (done) return value;
  }
}

function runSlice<T>(work: Iterator<unknown, T>): IteratorResult<unknown, T> {
  const untilMs = performance.now() + SLICE_MS;
  for (;;) {
    const result = work.next();
    if (result.done || performance.now() > untilMs) return result;
  }
}
