import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Caller } from '#accounts';
import { systemClock } from '#base';
import { type Database, Journal } from '#storage';
import { silentLog } from '#telemetry';
import { createRow } from '../../../test/support/fresh-accounts.ts';
import { type FaultyFiles, createFaultyFiles } from '../../../test/support/faulty-files.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../../../test/support/temporary.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { until } from '../../../test/support/until.ts';
import type { Report } from './encode-report.ts';
import type { Hold } from './ledger.ts';
import { LeasedRequests } from './leased-requests.ts';
import { LedgerStore } from './ledger-store.ts';
import { createStoreTooSlow } from './store-fault.ts';
import { toSubject } from './subject.ts';

const CALLER = { keyId: 'key', organizationId: 'org', projectId: 'project' } as Caller;
const MOST_UNWRITTEN = 2_000;

let temporary: TemporaryFolder;
let disk: FaultyFiles;
let journal: Journal;
let clock: TestClock;
let leased: LeasedRequests;
let serial = 0;
let isTrusted: boolean;
/** Reports that have begun, and what each waits for. */
let begun: Report[];
let gates: PromiseWithResolvers<undefined>[];
let isGated: boolean;
/** What the next reports and single settlements fail with. */
let fault: Error | undefined;
let settleFault: Error | undefined;
let written: string[];
let settledAlone: unknown[];
let faults: unknown[];

function createStore(): LedgerStore {
  const store = new LedgerStore({} as Database);
  store.report = async (report) => {
    begun.push(report);
    const gate = Promise.withResolvers<undefined>();
    gates.push(gate);
    if (isGated) await gate.promise;
    if (fault) throw fault;
    const states = report.leases.map(({ lease, keep, want }) => [lease.id, { amount: keep + want }] as const);
    return new Map(states.filter(([, { amount }]) => amount > 0n));
  };
  store.settleEncoded = async (encoded) => {
    settledAlone.push(encoded);
    if (settleFault) throw settleFault;
  };
  return store;
}

beforeEach(async () => {
  const atMs = systemClock.monotonicMs();
  mock.method(systemClock, 'monotonicMs', () => atMs); // no deadline passes, however slow the machine
  temporary = createTemporaryFolder();
  disk = createFaultyFiles(temporary.path);
  journal = new Journal({
    folder: temporary.path,
    installation: 'test',
    log: silentLog,
    files: disk.files,
  });
  await journal.open();
  [begun, gates, isGated, isTrusted, fault, settleFault] = [[], [], false, true, undefined, undefined];
  [written, settledAlone, faults] = [[], [], []];
  clock = new TestClock();
  leased = new LeasedRequests({
    store: createStore(),
    journal,
    durability: 'written',
    clock,
    isTrusted: () => isTrusted,
    onWritten: ({ settlement }) => written.push(settlement.requestId),
    onFault: (error) => faults.push(error),
  });
  leased.start('1');
});
afterEach(async () => {
  mock.restoreAll();
  [isGated, fault, settleFault] = [false, undefined, undefined];
  for (const gate of gates) gate.resolve(undefined);
  await leased.close();
  await journal.close();
  temporary.remove();
});

async function reserve(amount = 1n): Promise<Hold | undefined> {
  const requestId = `req_${(serial += 1)}`;
  return leased.reserve({ requestId, caller: CALLER, amount, row: createRow(CALLER, requestId) });
}

async function settle({ requestId }: Pick<Hold, 'requestId'>): Promise<void> {
  const row = createRow(CALLER, requestId);
  const settlement = { requestId, customer: 1n, provider: 1n, estimated: false, row };
  await leased.settle({ settlement, subject: toSubject(CALLER) });
}

/** A request on a lease that has room for many more. */
async function admit(amount = 1n): Promise<Hold> {
  if (begun.length === 0) {
    await until('there is a lease', async () => (await reserve(1_000_000n)) !== undefined);
    await settle({ requestId: `req_${serial}` });
    await leased.flush();
    [begun, written] = [[], []];
  }
  const hold = await reserve(amount);
  assert.ok(hold);
  return hold;
}

/** What would be left to a process that starts after a crash now. */
async function readLeftovers(): Promise<string[]> {
  const other = new Journal({ folder: temporary.path, installation: 'test', log: silentLog });
  await journal.close();
  await other.open();
  const texts = other.takeLeftovers().map(({ text }) => text);
  await other.close();
  return texts;
}

const idsOf = (reports: readonly Report[], list: 'opening' | 'settled'): string[] =>
  reports.flatMap((report) => report[list].map(({ request }) => request.requestId));

test('with many settlements to write the next request waits, but only until some of them are written', async () => {
  await until('there is a lease', async () => (await reserve(1_000_000n)) !== undefined);
  isGated = true;
  const already = begun.length;
  for (let count = 0; count <= MOST_UNWRITTEN; count += 1) {
    const hold = await reserve();
    assert.ok(hold);
    await settle(hold);
  }
  let isAdmitted = false;
  const waiting = reserve().then((hold) => {
    isAdmitted = hold !== undefined;
  });
  for (let turns = 0; turns < 100; turns += 1) await turn();
  assert.equal(isAdmitted, false);
  await until('one report is under way', () => begun.length === already + 1);
  gates[already]?.resolve(undefined);
  await waiting;
  assert.equal(isAdmitted, true);
});

test('a request is reported once when it is settled, and then nothing of it is left', async () => {
  const hold = await admit(7n);
  assert.equal(hold.amount, 7n);
  assert.equal(leased.isHeld(hold.requestId), false);
  const both = [settle(hold), settle(hold)];
  await Promise.all(both);
  await leased.flush();
  await leased.flush();
  assert.deepEqual(idsOf(begun, 'settled'), [hold.requestId]);
  assert.deepEqual(idsOf(begun, 'opening'), []);
  assert.deepEqual(written, [hold.requestId]);
  assert.equal(leased.isHeld(hold.requestId), true);
  assert.equal(leased.settle({ settlement: { requestId: hold.requestId } } as never), undefined);
  await leased.close();
  assert.deepEqual(await readLeftovers(), []);
});

test('without a lease, before the start and where others think the process gone, none is used', async () => {
  await admit();
  isTrusted = false;
  assert.equal(await reserve(), undefined);
  isTrusted = true;
  assert.ok(await reserve());
  await leased.close();
  const reports = begun.length;
  for (let count = 0; count < 20; count += 1) assert.equal(await reserve(), undefined);
  assert.equal(begun.length, reports, 'and none is asked for');
});

test('an open request grows on its lease, and beyond it on a hold of its own', async () => {
  const hold = await admit(5n);
  assert.equal(await leased.grow(hold.requestId, 10n), 15n);
  assert.equal(await leased.grow('req_another', 10n), undefined);
  assert.equal(await leased.grow(hold.requestId, 10n ** 15n), undefined);
  assert.deepEqual(idsOf(begun, 'opening'), [hold.requestId]);
  assert.equal(begun[0]?.opening[0]?.amount, 15n);
  assert.equal(leased.isHeld(hold.requestId), true);
  assert.equal(await leased.grow(hold.requestId, 1n), undefined, 'the hold grows from now on');
  await leased.giveHold(hold.requestId);
  await leased.flush(true);
  assert.deepEqual(idsOf(begun, 'opening'), [hold.requestId], 'which it gets once');

  const other = await admit();
  isTrusted = false;
  assert.equal(await leased.grow(other.requestId, 1n), undefined);
  assert.equal(leased.isHeld(other.requestId), true);
  isTrusted = true;
  await Promise.all([settle(hold), settle(other)]);
});

test('a request that is open for 100 ms gets a hold of its own, unless it is settled', async () => {
  const [open, done] = [await admit(3n), await admit(4n)];
  clock.advance(50);
  const young = await admit(5n);
  const { lease, keep } = (await leased.flush(true), begun[0]?.leases[0] ?? assert.fail());
  assert.equal(lease.taken, 12n);
  await settle(done);
  clock.advance(49);
  await leased.flush(true);
  assert.deepEqual(idsOf(begun, 'opening'), []);
  clock.advance(1);
  await leased.flush(true);
  assert.deepEqual(idsOf(begun, 'opening'), [open.requestId]);
  assert.deepEqual([leased.isHeld(open.requestId), leased.isHeld(young.requestId)], [true, false]);
  assert.equal(lease.taken, 5n);
  assert.equal(begun.at(-1)?.leases[0]?.keep, keep - 1n - 3n, 'the hold is no longer part of the lease');
  await settle(open);
  await settle(young);
  await leased.flush();
  assert.deepEqual(
    idsOf(begun, 'settled'),
    [done, open, young].map(({ requestId }) => requestId),
  );
  assert.equal(lease.taken, 0n);
});

test('a hold that another owner has is none of this process', async () => {
  const { requestId } = await admit();
  await leased.giveHold(requestId);
  leased.handOver(requestId);
  leased.handOver('req_another');
  assert.equal(leased.settle({ settlement: { requestId } } as never), undefined);
  await leased.close();
  assert.deepEqual(await readLeftovers(), []);
});

test('while the database is unavailable a settlement waits in the journal, and is reported again', async () => {
  const hold = await admit();
  await settle(hold);
  fault = createStoreTooSlow();
  await assert.rejects(leased.flush());
  assert.deepEqual([written, settledAlone, faults], [[], [], []]);
  fault = undefined;
  await leased.flush();
  assert.deepEqual(idsOf(begun, 'settled'), [hold.requestId, hold.requestId]);
  assert.deepEqual(written, [hold.requestId]);
});

test('a report that is refused is written one by one, and what is refused alone stays in the journal', async () => {
  const [good, bad] = [await admit(), await admit()];
  await settle(good);
  fault = new Error('an odd report');
  await leased.flush();
  assert.deepEqual([written, settledAlone.length, faults], [[good.requestId], 1, [fault]]);

  await settle(bad);
  settleFault = createStoreTooSlow();
  await leased.flush();
  assert.deepEqual(written, [good.requestId], 'it is tried again');
  settleFault = new Error('an odd row');
  await leased.flush();
  assert.deepEqual(written, [good.requestId, bad.requestId], 'and waits for nothing any more');
  assert.ok(faults.includes(settleFault));
  [fault, settleFault] = [undefined, undefined];
  await leased.close();
  const left = await readLeftovers();
  assert.equal(left.filter((text) => text.includes(`"${bad.requestId}"`)).length, 2, 'opened and settled');
  assert.equal(left.filter((text) => text.includes(`"${good.requestId}"`)).length, 0);
});

test('a request that the journal refuses takes nothing from its lease', async () => {
  await settle(await admit());
  await leased.flush(true);
  const lease = begun.at(-1)?.leases[0]?.lease ?? assert.fail();
  const { free, taken } = lease;
  disk.state = 'full';
  assert.equal(await reserve(), undefined);
  disk.state = 'well';
  assert.equal(faults.length, 1);
  assert.deepEqual([lease.free, lease.taken], [free, taken]);
});

test('a settlement that the journal refuses is safe when it is reported', async () => {
  const hold = await admit();
  disk.state = 'full';
  isGated = true;
  let isSafe = false;
  const settling = settle(hold).then(() => {
    isSafe = true;
  });
  await until('it is reported', () => idsOf(begun, 'settled').length === 1);
  assert.deepEqual([isSafe, faults.length], [false, 1]);
  for (const gate of gates) gate.resolve(undefined);
  await settling;
  assert.deepEqual(written, [hold.requestId]);
  disk.state = 'well';
});

test('money that others need is given back at once, and all of it after a lost message', async () => {
  const ways: [give: () => void, isGiven: boolean][] = [
    [() => leased.suspend('key another'), false],
    [() => leased.suspend('key key'), true],
    [() => leased.endLeases(), true],
  ];
  for (const [give, isGiven] of ways) {
    begun = [];
    await settle(await admit());
    await leased.flush(true);
    begun = [];
    give();
    const isBack = (): boolean => begun.some(({ leases }) => leases.some(({ keep }) => keep === 0n));
    for (let turns = 0; turns < 20; turns += 1) await turn(); // no timer of a report fires meanwhile
    assert.equal(isBack(), isGiven);
    clock.advance(10_000);
  }
});

test('a process that ends with an open request leaves its name in the journal', async () => {
  const { requestId } = await admit();
  await leased.close();
  const left = await readLeftovers();
  assert.ok(left.some((text) => text.startsWith('{"owner":"1"')));
  assert.ok(left.some((text) => text.startsWith('{"opened":') && text.includes(`"${requestId}"`)));
});
