import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../caller.ts';
import { type Lease, type LeaseReport, type StoredLease, Leases } from './leases.ts';

const AMOUNT = 100n;
const CALLER: Caller = { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' };

interface Sent {
  amount?: bigint;
  caller?: Caller;
  premium?: boolean;
}

/** One request at a moment. */
function send(leases: Leases, nowMs: number, { amount = AMOUNT, caller = CALLER, ...kind }: Sent = {}) {
  const row = { requestId: 'r', organizationId: 'o', projectId: 'p', keyId: 'k', finishReason: '' };
  return leases.take({ requestId: 'r', caller, amount, row, ...kind }, nowMs);
}

/** So many requests at a moment; returns for each whether a lease covered it and is short. */
const sendAll = (leases: Leases, count: number, nowMs: number) =>
  Array.from({ length: count }, () => {
    const { lease, isShort } = send(leases, nowMs);
    return [lease !== undefined, isShort];
  });

const create = (): Leases => new Leases(() => 'lease_1');

interface Answer {
  granted?: bigint;
  atMs: number;
  period?: StoredLease['period'];
}

/** What the database answers to a report at a moment; nothing if it takes the lease away. */
function answer(leases: Leases, reports: readonly LeaseReport[], { granted, atMs, period }: Answer) {
  const state = granted !== undefined && { amount: granted, ...(period && { period }) };
  leases.apply(reports, new Map(state ? [['lease_1', state]] : []), atMs);
}

/** A lease that so many requests at 0 ms asked for. */
function open(granted: bigint, requests = 8): { leases: Leases; lease: Lease } {
  const leases = create();
  sendAll(leases, requests, 0);
  const reports = leases.composeReports(0, false);
  answer(leases, reports, { granted, atMs: 0 });
  const [{ lease } = assert.fail()] = reports;
  return { leases, lease };
}

/** What would be reported of the only lease. */
function reportAt(leases: Leases, nowMs: number) {
  const [{ keep, want, least } = assert.fail()] = leases.composeReports(nowMs, true);
  return { keep, want, least };
}

const END_MS = 1_900;

/** What a lease wants at the end of a report that took so long. */
function readWant(tookMs: number): bigint {
  const leases = create();
  sendAll(leases, 40, 0);
  const reports = leases.composeReports(END_MS - tookMs, false);
  assert.equal(reports[0]?.want, 40n * AMOUNT, 'about a second of requests');
  answer(leases, reports, { granted: 40n * AMOUNT, atMs: END_MS });
  assert.ok(sendAll(leases, 40, END_MS).every(([isCovered]) => isCovered));
  return leases.composeReports(END_MS, false)[0]?.want ?? 0n;
}

test('a lease lasts for a second of requests, and for two reports where those take longer', () => {
  const [quick, slow] = [readWant(100), readWant(1_900)];
  assert.ok(quick > 0n);
  assert.equal(slow, 4n * quick);
});

test('the eighth request asks for a lease, once, and none is covered before it is granted', () => {
  const leases = create();
  assert.deepEqual(sendAll(leases, 7, 0), Array(7).fill([false, false]));
  assert.deepEqual(leases.composeReports(0, true), [], 'and a report forgets none of the seven');
  assert.deepEqual(send(leases, 0), { isShort: true });
  assert.deepEqual(send(leases, 0), { isShort: false });
  assert.deepEqual(send(leases, 0, { amount: 0n }), { isShort: false });
});

test('what requests take, enlarge and leave is subtracted from a lease and added to it to the unit', () => {
  const { leases, lease } = open(900n);
  const amounts = (): bigint[] => [lease.free, lease.taken];
  assert.equal(send(leases, 0).lease, lease);
  assert.deepEqual(amounts(), [800n, 100n]);
  assert.equal(leases.enlarge(lease, 801n), false);
  assert.equal(leases.enlarge(lease, 800n), true);
  assert.deepEqual(amounts(), [0n, 900n]);
  assert.equal(leases.enlarge(lease, 1n), false);
  leases.release(lease, 900n, 250n);
  assert.deepEqual(amounts(), [650n, 0n]);
  assert.equal(send(leases, 0, { amount: 650n }).lease, lease, 'all of it may be taken');
  assert.deepEqual(send(leases, 0, { amount: 1n }), { isShort: true });
});

test('a lease is short as soon as less than a quarter of a second is free', () => {
  // The ninth request makes that 900 a second.
  assert.equal(send(open(325n).leases, 0).isShort, false);
  assert.equal(send(open(324n).leases, 0).isShort, true);
});

test('more is wanted below three quarters of a second, and at least what makes a lease worth having', () => {
  const second = 12;
  assert.deepEqual(reportAt(open(900n, second).leases, 0), { keep: 900n, want: 0n, least: 1n });
  assert.deepEqual(reportAt(open(899n, second).leases, 0), { keep: 899n, want: 301n, least: 1n });
  assert.deepEqual(reportAt(open(801n, second).leases, 0), { keep: 801n, want: 399n, least: 1n });
  assert.deepEqual(reportAt(open(700n, second).leases, 0), { keep: 700n, want: 500n, least: 101n });
});

test('what two seconds of requests do not take is given back', () => {
  // A single request of 100 makes 801 a second.
  const [much, tooMuch] = [open(1_702n), open(1_703n)];
  send(much.leases, 2_000);
  send(tooMuch.leases, 2_000);
  assert.equal(reportAt(much.leases, 2_000).keep, 1_702n);
  assert.equal(reportAt(tooMuch.leases, 2_000).keep, 901n);
});

test('a lease that has not changed is not reported, unless all are or the last answer is missing', () => {
  const { leases } = open(900n);
  send(leases, 0);
  assert.deepEqual(leases.composeReports(0, false), []);
  const reports = leases.composeReports(0, true);
  assert.equal(leases.composeReports(0, false).length, 1);
  answer(leases, reports, { granted: 900n, atMs: 0 });
  assert.deepEqual(leases.composeReports(0, false), []);
});

test('what is granted beside open requests is added to what is free', () => {
  const { leases, lease } = open(900n);
  sendAll(leases, 3, 0);
  const reports = leases.composeReports(0, true);
  answer(leases, reports, { granted: 1_200n, atMs: 0 });
  assert.deepEqual([lease.free, lease.taken], [900n, 300n]);
});

test('costs beyond a lease are made up for, and no lease keeps less than nothing', () => {
  const { leases, lease } = open(900n);
  send(leases, 0);
  leases.release(lease, 100n, 899n);
  assert.deepEqual(reportAt(leases, 0), { keep: 1n, want: 899n, least: 800n });
  leases.release(lease, 0n, 11n);
  assert.deepEqual(reportAt(leases, 0), { keep: 0n, want: 910n, least: 811n });
});

test('a lease that no request used for three seconds keeps only what open requests took', () => {
  const { leases } = open(900n);
  send(leases, 500);
  assert.equal(reportAt(leases, 3_500).keep, 900n);
  assert.deepEqual(reportAt(leases, 3_501), { keep: 100n, want: 0n, least: 801n });
  assert.deepEqual(send(leases, 3_501), { isShort: false });
});

test('money that others need is given back, and for three seconds no lease on it is asked for', () => {
  const { leases, lease } = open(900n);
  assert.equal(leases.suspend('key another', 0), false);
  assert.equal(leases.enlarge(lease, 1n), true);
  assert.equal(leases.suspend('key k', 0), true);
  assert.equal(leases.enlarge(lease, 1n), false);
  assert.deepEqual(send(leases, 0), { isShort: false });
  const reports = leases.composeReports(0, false);
  assert.deepEqual([reports[0]?.keep, reports[0]?.want], [1n, 0n]);
  answer(leases, reports, { atMs: 0 });
  assert.deepEqual(leases.composeReports(2_999, true), []);
  assert.ok(sendAll(leases, 8, 2_999).every(([, isShort]) => !isShort));
  assert.equal(send(leases, 3_000).isShort, true);
});

test('at the end all leases are given back', () => {
  const { leases } = open(900n);
  leases.endAll();
  assert.deepEqual(send(leases, 0), { isShort: false });
  assert.equal(reportAt(leases, 0).keep, 0n);
});

test('a lease that is refused more ends, and the next is asked for after two seconds', () => {
  const { leases, lease } = open(800n, 12);
  const reports = leases.composeReports(0, false);
  assert.equal(reports[0]?.want, 400n);
  answer(leases, reports, { granted: 801n, atMs: 0 });
  assert.equal(lease.state, 'open', 'less than was wanted is no refusal');
  answer(leases, reports, { granted: 800n, atMs: 0 });
  assert.equal(lease.state, 'ending');
  answer(leases, leases.composeReports(0, false), { atMs: 0 });
  assert.equal(leases.size, 0);
  assert.ok(sendAll(leases, 8, 1_999).every(([, isShort]) => !isShort));
  assert.equal(send(leases, 2_000).isShort, true);
});

test('an answer of what a lease has is no refusal where nothing was wanted', () => {
  const { leases, lease } = open(900n);
  answer(leases, leases.composeReports(0, true), { granted: 900n, atMs: 0 });
  assert.equal(lease.state, 'open');
});

test('a lease that the database has no longer covers nothing, however little was wanted', () => {
  const { leases, lease } = open(900n);
  answer(leases, leases.composeReports(0, true), { atMs: 0 });
  assert.equal(leases.size, 0);
  assert.equal(leases.enlarge(lease, 1n), false);
  assert.equal(send(leases, 0).isShort, true, 'nothing was refused');

  const free = create();
  for (let request = 0; request < 8; request += 1) send(free, 0, { amount: 0n });
  const reports = free.composeReports(0, false);
  assert.equal(reports[0]?.want, 1n);
  answer(free, reports, { atMs: 0 });
  assert.equal(send(free, 0).isShort, false);
});

test('members, session tokens and premium requests have leases of their own, also with the same key', () => {
  const others: Sent[] = [
    { caller: CALLER },
    { caller: CALLER, premium: true },
    ...['m1', 'm2'].map((memberId) => ({ caller: { ...CALLER, memberId } })),
    ...['t1', 't2'].map((sessionTokenId) => ({ caller: { ...CALLER, sessionTokenId } })),
  ];
  for (const one of others) {
    const leases = create();
    for (let request = 0; request < 8; request += 1) send(leases, 0, one);
    const reports = leases.composeReports(0, false);
    assert.equal(reports[0]?.lease.subject.premium, one.premium ?? false);
    answer(leases, reports, { granted: 900n, atMs: 0 });
    assert.deepEqual(
      others.filter((other) => send(leases, 0, other).lease),
      [one],
    );
  }
});

test('a lease on a period ends with it, counted from the report that asked', () => {
  const openUntil = (atMs: number) => {
    const leases = create();
    sendAll(leases, 8, 0);
    const reports = leases.composeReports(50, false);
    answer(leases, reports, { granted: 900n, atMs, period: { meters: [1, 2], restMs: 500 } });
    return { leases, lease: reports[0]?.lease ?? assert.fail() };
  };
  const asked = openUntil(60);
  assert.deepEqual(asked.lease.period?.meters, [1, 2]);
  assert.equal(send(asked.leases, 549).lease, asked.lease);
  assert.deepEqual(send(asked.leases, 550), { isShort: false });
  assert.equal(asked.lease.state, 'ending');
  const idle = openUntil(60);
  assert.equal(reportAt(idle.leases, 549).keep, 900n);
  assert.equal(reportAt(idle.leases, 550).keep, 0n);
  assert.equal(openUntil(549).lease.state, 'open');
  assert.equal(openUntil(550).lease.state, 'ending', 'the answer came too late');
});
