import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { ReportQueue } from './report-queue.ts';

/** A queue whose reports end when the test says so. */
function open() {
  const clock = new TestClock();
  const reports: { all: boolean; end(fault?: Error): void }[] = [];
  const queue = new ReportQueue(async (all) => {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    reports.push({ all, end: (fault) => (fault ? reject(fault) : resolve(undefined)) });
    await promise;
  }, clock);
  return { queue, reports, clock };
}

test('one report is under way, and one behind it covers all that ask meanwhile', async () => {
  const { queue, reports } = open();
  const first = queue.report();
  await turn();
  const others = [queue.report(), queue.report()];
  await turn();
  assert.equal(reports.length, 1);
  reports[0]?.end();
  await first;
  await turn();
  assert.equal(reports.length, 2);
  reports[1]?.end();
  await Promise.all(others);
});

test('a report is of every lease if any that ask for it want that', async () => {
  const { queue, reports } = open();
  const ends = [queue.report()];
  await turn();
  ends.push(queue.report(), queue.report(true), queue.report());
  reports[0]?.end();
  await turn();
  ends.push(queue.report());
  reports[1]?.end();
  await turn();
  reports[2]?.end();
  await Promise.all(ends);
  assert.deepEqual(
    reports.map(({ all }) => all),
    [false, true, false],
  );
});

test('a report that fails is an error for those that wait for it, and not for the next', async () => {
  const { queue, reports } = open();
  const failing = queue.report();
  await turn();
  queue.reportSoon();
  reports[0]?.end(new Error('down'));
  await assert.rejects(failing, /down/);
  await turn();
  assert.equal(reports.length, 2);
  reports[1]?.end(new Error('down'));
  await turn();
  const next = queue.report();
  await turn();
  reports[2]?.end();
  await next;
});

test('reports start 75 ms after each other, however long each takes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, reports, clock } = open();
  const advance = async (ms: number): Promise<number> => {
    clock.advance(ms);
    t.mock.timers.tick(ms);
    await turn();
    return reports.length;
  };
  queue.reportNext();
  assert.equal(await advance(74), 0);
  assert.equal(await advance(1), 1);
  await advance(30);
  queue.reportNext(); // settled while it is under way
  await advance(10);
  reports[0]?.end();
  queue.reportNext();
  assert.equal(await advance(34), 1);
  assert.equal(await advance(1), 2);

  await advance(200);
  queue.reportNext();
  reports[1]?.end();
  assert.equal(await advance(74), 2, 'nothing waits longer than that for a report to start');
  assert.equal(await advance(1), 3);
  reports[2]?.end();
});

test('a report that starts early makes up for the next', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, reports } = open();
  queue.reportNext();
  queue.reportSoon();
  await turn();
  reports[0]?.end();
  t.mock.timers.tick(1_000);
  await turn();
  assert.equal(reports.length, 1);
});
