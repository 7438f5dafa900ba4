import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ReportQueue } from './report-queue.ts';

/** A queue whose reports end when the test says so. */
function open() {
  const reports: { all: boolean; end(fault?: Error): void }[] = [];
  const queue = new ReportQueue(async (all) => {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    reports.push({ all, end: (fault) => (fault ? reject(fault) : resolve(undefined)) });
    await promise;
  });
  return { queue, reports };
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
