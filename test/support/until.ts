import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Far more than anything takes on a slow and busy machine, and less than the 30 s after which a process polls. */
const PATIENCE_MS = 25_000;
const EVERY_MS = 10;
/** Where each poll takes long, time alone says little. */
const LEAST_POLLS = 50;
/** Also where a test sets the clock. */
const readClock = performance.now.bind(performance);

/** Polls until a condition holds; otherwise fails with what was awaited. */
export async function until(
  awaited: string,
  isSo: () => boolean | Promise<boolean>,
  everyMs = EVERY_MS,
): Promise<void> {
  const endMs = readClock() + PATIENCE_MS;
  for (let polls = 1; !(await isSo()); polls += 1) {
    assert.ok(readClock() < endMs || polls < LEAST_POLLS, `not in time: ${awaited}`);
    await sleep(everyMs);
  }
}
