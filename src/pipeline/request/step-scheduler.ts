import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '#base';

/** The longest step of work that can be interrupted. */
const SLICE_MS = 10;

/** The pause after a step, as a multiple of its duration. */
const REST = 3;

/** A step, and the tenant in whose queue it waits. */
interface Step {
  queue: string;
  run(): void;
}

const waiting = new FairQueue<Step>();
let isRunning = false;

/** The queue of a request of this tenant, if it is heavy; unknown tenants share one. */
export function queueOf(tenant: string | undefined, isHeavy: boolean): string | undefined {
  return isHeavy ? (tenant ?? '') : undefined;
}

/**
 * Does one step of a request; without a queue, at once. Steps of heavy requests wait for each other, tenants in turn, and
 * after each the thread is left to everything else for three times as long as the step took: large bodies mostly delay
 * other large bodies of the same tenant.
 */
export function inTurn<T>(queue: string | undefined, step: () => T): T | Promise<T> {
  if (queue === undefined) return step();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const run = (): void => {
    try {
      resolve(step());
    } catch (thrown) {
      reject(thrown);
    }
  };
  waiting.add(queue, { queue, run }, Infinity);
  if (!isRunning) void runAll();
  return promise;
}

async function runAll(): Promise<void> {
  isRunning = true;
  await Promise.resolve(); // no step runs before its caller has its promise
  for (let next = waiting.heads[0]; next; next = waiting.heads[0]) {
    waiting.take(next.queue, next);
    const startedMs = performance.now();
    next.run();
    await sleep(REST * (performance.now() - startedMs));
  }
  isRunning = false;
}

/** Runs the work of a heavy request in slices; each slice is a step. */
export async function inTurns<T>(queue: string, work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    const { done, value } = await inTurn(queue, () => runSlice(work));
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
