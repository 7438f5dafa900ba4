import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { SLOWNESS_MS } from '../../test/support/within.ts';
import { startDeadline } from './deadline.ts';

/** Waits for a deadline and gives how long it took. */
async function wait(limitMs: number): Promise<number> {
  const startedMs = performance.now();
  await new Promise<void>((resolve) => startDeadline(limitMs, resolve));
  return performance.now() - startedMs;
}

test('deadlines of any length come after their time and soon after it, each once', async () => {
  const limits = [5, 90, 40, 40, 1, 90];
  const took = await Promise.all(limits.map(wait));
  for (const [at, limitMs] of limits.entries()) {
    assert.ok((took[at] ?? 0) >= limitMs, `${took[at]} ms is before ${limitMs} ms`);
    assert.ok((took[at] ?? 0) < limitMs + SLOWNESS_MS, `${took[at]} ms is long after ${limitMs} ms`);
  }
});

test('a stopped deadline never fires, even if another one stops it', async () => {
  let came = 0;
  startDeadline(10, () => second.stop());
  const second = startDeadline(10, () => void (came += 1));
  const stopped = startDeadline(10, () => void (came += 1));
  stopped.stop();
  stopped.stop();
  stopped.refresh();
  await sleep(80);
  assert.equal(came, 0);
});

/**
 * How long after its last refresh a deadline of 400 ms came. Tried again if this process was delayed so long that the
 * deadline came before a refresh.
 */
async function waitRefreshed(times: number, everyMs: number): Promise<number> {
  for (;;) {
    let cameMs: number | undefined;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const deadline = startDeadline(400, () => {
      cameMs = performance.now();
      resolve(undefined);
    });
    let refreshedMs = 0;
    let isTooLate = false;
    for (let time = 0; time < times; time += 1) {
      await sleep(everyMs);
      isTooLate ||= cameMs !== undefined;
      deadline.refresh();
      refreshedMs = performance.now();
    }
    await promise;
    if (!isTooLate) return (cameMs ?? 0) - refreshedMs;
  }
}

test('a deadline that is refreshed has its whole time again', async () => {
  const other = wait(400);
  assert.ok((await waitRefreshed(1, 40)) >= 400);
  await other;
});

test('a deadline that is refreshed expires only its full time after the last refresh', async () => {
  assert.ok((await waitRefreshed(20, 5)) >= 400);
});

test('time in which the process does not run does not count: what came meanwhile is seen first', async () => {
  let came = 0;
  const deadline = startDeadline(500, () => void (came += 1));
  const endMs = performance.now() + 1_000;
  while (performance.now() < endMs); // as where other processes need the processor
  await sleep(100);
  assert.equal(came, 0);
  await until('the deadline has fired', () => came === 1);
  deadline.stop();
});

test('a deadline that starts after such time comes as any other', async () => {
  const before = startDeadline(60_000, () => assert.fail('it came'));
  const endMs = performance.now() + 1_000;
  while (performance.now() < endMs);
  const after = startDeadline(60_000, () => assert.fail('it came'));
  await sleep(100); // a tick is over
  assert.ok(after.elapsedMs >= 0 && after.elapsedMs <= before.elapsedMs, `${after.elapsedMs} ms`);
  before.stop();
  after.stop();
  await sleep(100); // without deadlines the ticks end
});

test('deadlines come although the timer behind them was lost, as when a test replaced timers', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const left = startDeadline(3_600_000, () => undefined);
  t.mock.timers.reset();
  await sleep(1_100);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  startDeadline(50, () => resolve(undefined));
  await promise;
  left.stop();
  await sleep(100); // without deadlines the ticks end
});

test('a deadline may start another, and without deadlines the process can exit', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const second = new Promise<void>((resolve) => startDeadline(5, () => startDeadline(5, resolve)));
  assert.equal(timers(), before + 1);
  await second;
  await until('no timer is left', () => timers() <= before);
});
