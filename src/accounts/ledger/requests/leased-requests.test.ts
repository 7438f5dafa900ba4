import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { LeasedScene } from '../../../../test/support/leased-scene.ts';
import { until } from '../../../../test/support/until.ts';
import type { Report } from '../store/encode-report.ts';
import type { Hold } from '../ledger.ts';
import { createStoreTooSlow } from '../store/store-fault.ts';

const MOST_UNWRITTEN = 2_000;
const REPORTED_AT_ONCE = 500;

let scene: LeasedScene;
beforeEach(async () => {
  scene = await LeasedScene.open();
});
afterEach(() => scene.close());

const idsOf = (reports: readonly Report[], list: 'opening' | 'settled'): string[] =>
  reports.flatMap((report) => report[list].map(({ request }) => request.requestId));

test('with many settlements to write the next request waits until some are written, and a lease is reported with the last', async () => {
  await until('there is a lease', async () => (await scene.reserve(1_000_000n)) !== undefined);
  scene.isGated = true;
  const already = scene.begun.length;
  for (let count = 0; count <= MOST_UNWRITTEN; count += 1)
    await scene.settle((await scene.reserve()) as Hold);
  let isAdmitted = false;
  const waiting = scene.reserve().then((hold) => {
    isAdmitted = hold !== undefined;
  });
  await pass();
  assert.equal(isAdmitted, false);
  await until('one report is under way', () => scene.begun.length === already + 1);
  const reported = scene.leased.flush(true);
  scene.isGated = false;
  scene.gates[already]?.resolve(undefined);
  await waiting;
  assert.equal(isAdmitted, true);
  await reported;
  const leases = scene.begun.slice(already + 1).map((report) => report.leases.length);
  assert.deepEqual(leases, [0, 0, 0, 1]);
});

test('a lease keeps what its settlements cost that the same report has no room for', async () => {
  await scene.settle(await scene.admit());
  scene.isGated = true;
  const count = 2 * REPORTED_AT_ONCE + 10;
  const already = scene.begun.length;
  for (let number = 0; number < count; number += 1) await scene.settle((await scene.reserve()) as Hold);
  await until('a report is under way', () => scene.begun.length > already);
  const returned = scene.leased.suspend('key key');
  scene.isGated = false;
  scene.openGates();
  await returned;
  let unreported = count + 1;
  for (const { settled, leases } of scene.begun.slice(already)) {
    unreported -= settled.length;
    for (const { keep } of leases) assert.ok(keep >= unreported, `${keep} kept, ${unreported} not reported`);
  }
  assert.equal(unreported, 0);
});

test('a request is reported once when it is settled, and then nothing of it is left', async () => {
  const hold = await scene.admit(7n);
  assert.equal(hold.amount, 7n);
  assert.equal(scene.leased.isHoldStored(hold.requestId), false);
  const both = [scene.settle(hold), scene.settle(hold)];
  await Promise.all(both);
  await scene.leased.flush();
  await scene.leased.flush();
  assert.deepEqual(idsOf(scene.begun, 'settled'), [hold.requestId]);
  assert.deepEqual(idsOf(scene.begun, 'opening'), []);
  assert.deepEqual(scene.written, [hold.requestId]);
  assert.equal(scene.leased.isHoldStored(hold.requestId), true);
  assert.equal(scene.leased.settle({ requestId: hold.requestId } as never), undefined);
  await scene.leased.close();
  assert.deepEqual(await scene.readLeftovers(), []);
});

test('without a lease, before the start and where others think the process gone, none is used', async () => {
  await scene.admit();
  scene.isTrusted = false;
  assert.equal(await scene.reserve(), undefined);
  scene.isTrusted = true;
  assert.ok(await scene.reserve());
  await scene.leased.close();
  const reports = scene.begun.length;
  for (let count = 0; count < 20; count += 1) assert.equal(await scene.reserve(), undefined);
  assert.equal(scene.begun.length, reports, 'and none is asked for');
});

test('a request that is open for 100 ms gets a hold of its own, unless it is settled', async () => {
  const [open, done] = [await scene.admit(3n), await scene.admit(4n)];
  scene.clock.advance(50);
  const young = await scene.admit(5n);
  const { lease, keep } = (await scene.leased.flush(true), scene.begun[0]?.leases[0] ?? assert.fail());
  assert.equal(lease.taken, 12n);
  await scene.settle(done);
  scene.clock.advance(49);
  await scene.leased.flush(true);
  assert.deepEqual(idsOf(scene.begun, 'opening'), []);
  scene.clock.advance(1);
  await scene.leased.flush(true);
  assert.deepEqual(idsOf(scene.begun, 'opening'), [open.requestId]);
  assert.deepEqual(
    [scene.leased.isHoldStored(open.requestId), scene.leased.isHoldStored(young.requestId)],
    [true, false],
  );
  assert.equal(lease.taken, 5n);
  assert.equal(
    scene.begun.at(-1)?.leases[0]?.keep,
    keep - 1n - 3n,
    'the hold is no longer part of the lease',
  );
  await scene.settle(open);
  await scene.settle(young);
  await scene.leased.flush();
  assert.deepEqual(
    idsOf(scene.begun, 'settled'),
    [done, open, young].map(({ requestId }) => requestId),
  );
  assert.equal(lease.taken, 0n);
});

test('a hold of another owner is left to its process', async () => {
  const { requestId } = await scene.admit();
  await scene.leased.createHold(requestId);
  scene.leased.discard(requestId);
  scene.leased.discard('req_another');
  assert.equal(scene.leased.settle({ requestId } as never), undefined);
  await scene.leased.close();
  assert.deepEqual(await scene.readLeftovers(), []);
});

test('while the database is unavailable a settlement waits in the journal, and is reported again', async () => {
  const hold = await scene.admit();
  await scene.settle(hold);
  scene.fault = createStoreTooSlow();
  await assert.rejects(scene.leased.flush());
  assert.deepEqual([scene.written, scene.settledAlone, scene.faults], [[], [], []]);
  scene.fault = undefined;
  await scene.leased.flush();
  assert.deepEqual(idsOf(scene.begun, 'settled'), [hold.requestId, hold.requestId]);
  assert.deepEqual(scene.written, [hold.requestId]);
});

test('a report that is refused is written one by one, and what is refused alone stays in the journal', async () => {
  const [good, bad] = [await scene.admit(), await scene.admit()];
  await scene.settle(good);
  scene.fault = new Error('an odd report');
  await scene.leased.flush();
  assert.deepEqual(
    [scene.written, scene.settledAlone.length, scene.faults],
    [[good.requestId], 1, [scene.fault]],
  );

  await scene.settle(bad);
  scene.settleFault = createStoreTooSlow();
  await scene.leased.flush();
  assert.deepEqual(scene.written, [good.requestId], 'it is tried again');
  scene.settleFault = new Error('an odd row');
  await scene.leased.flush();
  assert.deepEqual(scene.written, [good.requestId, bad.requestId], 'and waits for nothing any more');
  assert.ok(scene.faults.includes(scene.settleFault));
  [scene.fault, scene.settleFault] = [undefined, undefined];
  await scene.leased.close();
  const left = await scene.readLeftovers();
  assert.equal(left.filter((text) => text.includes(`"${bad.requestId}"`)).length, 2, 'opened and settled');
  assert.equal(left.filter((text) => text.includes(`"${good.requestId}"`)).length, 0);
});

test('a report that is refused because it was written without an answer is no fault', async () => {
  const hold = await scene.admit();
  await scene.settle(hold);
  scene.fault = createStoreTooSlow();
  await assert.rejects(scene.leased.flush());
  scene.fault = new Error('a settlement is without its lease');
  await scene.leased.flush();
  assert.deepEqual([scene.written, scene.faults], [[hold.requestId], []]);
  await scene.settle(await scene.admit());
  await scene.leased.flush();
  assert.deepEqual(scene.faults, [scene.fault], 'the next one was written by no one before');
});

test('a request that the journal refuses takes nothing from its lease', async () => {
  await scene.settle(await scene.admit());
  await scene.leased.flush(true);
  const lease = scene.begun.at(-1)?.leases[0]?.lease ?? assert.fail();
  const { free, taken } = lease;
  scene.disk.state = 'full';
  assert.equal(await scene.reserve(), undefined);
  scene.disk.state = 'well';
  assert.equal(scene.faults.length, 1);
  assert.deepEqual([lease.free, lease.taken], [free, taken]);
});

test('a settlement that the journal refuses is safe when it is reported', async () => {
  const hold = await scene.admit();
  scene.disk.state = 'full';
  scene.isGated = true;
  let isSafe = false;
  const settling = scene.settle(hold).then(() => {
    isSafe = true;
  });
  await until('it is reported', () => idsOf(scene.begun, 'settled').length === 1);
  assert.deepEqual([isSafe, scene.faults.length], [false, 1]);
  scene.openGates();
  await settling;
  assert.deepEqual(scene.written, [hold.requestId]);
  scene.disk.state = 'well';
});

test('money that others need is given back at once, and all of it after a lost message', async () => {
  const ways: [give: () => void, isGiven: boolean][] = [
    [() => scene.leased.suspend('key another'), false],
    [() => scene.leased.suspend('key key'), true],
    [() => scene.leased.endLeases(), true],
  ];
  for (const [give, isGiven] of ways) {
    scene.begun = [];
    await scene.settle(await scene.admit());
    await scene.leased.flush(true);
    scene.begun = [];
    give();
    const isBack = (): boolean => scene.begun.some(({ leases }) => leases.some(({ keep }) => keep === 0n));
    for (let turns = 0; turns < 20; turns += 1) await turn(); // no timer of a report fires meanwhile
    assert.equal(isBack(), isGiven);
    scene.clock.advance(10_000);
  }
});

test('a process that ends with an open request leaves its name in the journal', async () => {
  const { requestId } = await scene.admit();
  await scene.leased.close();
  const left = await scene.readLeftovers();
  assert.ok(left.some((text) => text.startsWith('{"owner":"1"')));
  assert.ok(left.some((text) => text.startsWith('{"opened":') && text.includes(`"${requestId}"`)));
});

async function pass(): Promise<void> {
  for (let turns = 0; turns < 100; turns += 1) await turn();
}

test('as many settlements as a report has room for are reported before its time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let first: Hold | undefined;
  while (first === undefined) {
    await turn();
    first = await scene.reserve(1_000_000n);
  }
  await scene.settle(first);
  const already = scene.begun.length;
  for (let count = 2; count < REPORTED_AT_ONCE; count += 1)
    await scene.settle((await scene.reserve()) as Hold);
  await pass();
  assert.equal(scene.begun.length, already);
  await scene.settle((await scene.reserve()) as Hold);
  await pass();
  assert.deepEqual(
    scene.begun.slice(already).map(({ settled }) => settled.length),
    [REPORTED_AT_ONCE],
  );
});

test('what is settled while the last report is under way is in one more', async () => {
  const [first, second] = [await scene.admit(), await scene.admit()];
  await scene.settle(first);
  scene.isGated = true;
  const already = scene.begun.length;
  const closing = scene.leased.close();
  await until('the last report is under way', () => scene.begun.length > already);
  await scene.settle(second);
  scene.isGated = false;
  scene.openGates();
  await closing;
  assert.deepEqual(scene.written, [first.requestId, second.requestId]);
});
