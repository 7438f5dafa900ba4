import { setTimeout as sleep } from 'node:timers/promises';

let free = Promise.resolve();

/**
 * Does one step of a request. Steps of heavy requests wait for each other, and after each the thread is left to everything
 * else for as long as the step took: whoever sends large bodies slows down mostly others who do.
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
    await sleep(performance.now() - startedMs);
  });
  return promise;
}
