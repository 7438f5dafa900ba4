import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { before, test } from 'node:test';
import { refusalOf } from '../../../../test/support/catch-refusal.ts';
import type { Accounts, Caller } from '#accounts';
import type { GatewayError } from '#errors';
import { createRow, openFreshAccounts } from '../../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../../test/support/share-opened.ts';
import { TestLedger } from '../../../../test/support/test-ledger.ts';

const PATIENCE_MS = 10_000;

const fresh = shareOpened(() => openFreshAccounts());
const testLedger = new TestLedger(fresh);
/** The same in a process whose requests wait for a long time. */
let patient: TestLedger;

before(async () => {
  patient = new TestLedger({ ...fresh, accounts: await fresh.join({ admissionWaitMs: PATIENCE_MS }) });
});

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return (await refusalOf(promise)).code;
}

/** Resolves once every earlier request has been answered or is queued: answers come in order of arrival. */
async function isDecided(): Promise<void> {
  const stranger = await patient.createCaller();
  const { requestId } = await patient.reserve(stranger, 1n);
  await patient.settle(stranger, requestId, 0n);
}

const isClean = async (): Promise<void> => assert.deepEqual(await fresh.accounts.ledger.check(), []);

test('64 racers for the last cent: as many are admitted as the limit pays for, never one more', async () => {
  const of = await testLedger.createCaller(500n);
  const outcomes = await Promise.allSettled(Array.from({ length: 64 }, () => testLedger.reserve(of, 100n)));
  const admitted = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  assert.equal(admitted.length, 5);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      assert.equal((outcome.reason as GatewayError).code, 'key_limit_reached');
  }
  for (const { value } of admitted) await testLedger.settle(of, value.requestId, 100n);
  assert.deepEqual(await testLedger.readMeter('key', of), { lim: '500', used: '500', held: '0' });
  await isClean();
});

test('two processes race for the last cent and overspend nothing', async () => {
  // No request is refused because the machine was too slow to return money in time.
  const processes = [
    await fresh.join({ admissionWaitMs: 60_000 }),
    await fresh.join({ admissionWaitMs: 60_000 }),
  ];
  const of = await testLedger.createCaller(1_000n);
  const run = async ({ ledger }: Accounts): Promise<number> => {
    const requestId = testLedger.nextId();
    await ledger.reserve({ requestId, caller: of, amount: 100n, row: createRow(of, requestId) });
    await ledger.settle({
      requestId,
      customer: 90n,
      provider: 0n,
      estimated: false,
      row: createRow(of, requestId),
    });
    return 1;
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) => run(processes[index % 2] as Accounts)),
  );
  // Each leaves ten behind, so that an eleventh is affordable (990 - 90 + 100 ≤ 1000) and a twelfth is not.
  assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 11);
  assert.deepEqual(await testLedger.readMeter('key', of), { lim: '1000', used: '990', held: '0' });
  await isClean();
});

test('a request that only open holds keep out waits for their money instead of being denied', async () => {
  const of = await patient.createCaller(1_000n);
  const first = await patient.reserve(of, 1_000n);
  const second = patient.reserve(of, 800n);
  await isDecided();
  await patient.settle(of, first.requestId, 100n);
  const hold = await second;
  assert.equal(hold.amount, 800n);
  await patient.settle(of, hold.requestId, 0n);
});

test('money that another process gives back is noticed', async () => {
  const other = await fresh.join();
  const of = await patient.createCaller(1_000n);
  const requestId = patient.nextId();
  await other.ledger.reserve({ requestId, caller: of, amount: 1_000n, row: createRow(of, requestId) });
  const waiting = patient.reserve(of, 1_000n);
  await isDecided();
  await other.ledger.settle({
    requestId,
    customer: 0n,
    provider: 0n,
    estimated: false,
    row: createRow(of, requestId),
  });
  const startedMs = performance.now();
  const hold = await waiting;
  assert.ok(performance.now() - startedMs < PATIENCE_MS / 2, 'noticed before its patience ends');
  await patient.settle(of, hold.requestId, 0n);
});

/** Of 1,000, 950 are held; two large requests wait for it, the first disconnects, and a small one comes. */
async function assertInOrder(one: Caller, two: Caller): Promise<void> {
  const { requestId } = await patient.reserve(one, 950n);
  const client = new AbortController();
  const leaving = codeOf(patient.reserve(one, 900n, { signal: client.signal }));
  await isDecided();
  const served: bigint[] = [];
  const ask = async (of: Caller, amount: bigint): Promise<void> => {
    const hold = await patient.reserve(of, amount);
    served.push(amount);
    await patient.settle(of, hold.requestId, 0n);
  };
  const large = ask(two, 900n);
  await isDecided();
  client.abort();
  assert.equal(await leaving, 'client_closed');
  const small = ask(one, 10n);
  await isDecided();
  assert.deepEqual(served, []);
  await patient.settle(one, requestId, 0n);
  await Promise.all([large, small]);
  assert.deepEqual(served, [900n, 10n]);
}

test('waiting requests are served in order of arrival, a smaller one does not overtake', async () => {
  const of = await patient.createCaller(1_000n);
  await assertInOrder(of, of);
});

test('so are requests waiting for the budget of a member, whichever of its keys they use', async () => {
  const { directory, identify } = fresh.accounts;
  const { organizationId, projectId } = fresh.caller;
  const budget = { limit: 1_000n };
  const { id } = await directory.addMember({ organizationId, name: 'Ada', role: 'member', ...budget });
  const createCaller = async (): Promise<Caller> => {
    const { secret } = await directory.createKey({ projectId, label: 'k', memberId: id });
    return identify(secret);
  };
  await assertInOrder(await createCaller(), await createCaller());
});

test('so are requests waiting for the budget of a session token', async () => {
  const { directory, identify } = fresh.accounts;
  const { key } = await directory.createKey({ projectId: fresh.caller.projectId, label: 'k' });
  const { secret } = await directory.createSessionToken({ keyId: key.id, limit: 1_000n });
  const of = await identify(secret, { sessions: true });
  await assertInOrder(of, of);
});

test('a request that fits is admitted at the end of its wait, also behind one that never will', async () => {
  const of = await testLedger.createCaller(1_000n);
  const first = await testLedger.reserve(of, 500n);
  const big = testLedger.reserve(of, 900n);
  const small = testLedger.reserve(of, 10n);
  assert.equal(await codeOf(big), 'key_limit_reached');
  assert.equal((await small).amount, 10n);
  await testLedger.settle(of, first.requestId, 0n);
});

test('what could never be paid is refused at once, with the limit, what is left and what is needed', async () => {
  const of = await patient.createCaller(5_000_000_000_000n);
  const startedMs = performance.now();
  await assert.rejects(patient.reserve(of, 6_000_000_000_000n), {
    code: 'key_limit_reached',
    status: 402,
    message: /limit of 5 USD.*used 0 USD.*5 USD is left.*up to 6 USD.*does not reset/,
  });
  assert.ok(performance.now() - startedMs < PATIENCE_MS / 2, 'no waiting for nothing');
});

test('a request that can live with less gets what is left', async () => {
  const of = await testLedger.createCaller(1_000n);
  await testLedger.settle(of, (await testLedger.reserve(of, 700n)).requestId, 700n);
  const hold = await testLedger.reserve(of, 5_000n, { leastAmount: 200n });
  assert.equal(hold.amount, 300n);
  assert.equal(await codeOf(testLedger.reserve(of, 5_000n, { leastAmount: 301n })), 'key_limit_reached');
  await testLedger.settle(of, hold.requestId, 300n);
  await isClean();
});

test('a request that could have all of it if it waits is not cut short, unless waiting was in vain', async () => {
  const of = await patient.createCaller(1_000n);
  const first = await patient.reserve(of, 600n);
  const waiting = patient.reserve(of, 800n, { leastAmount: 100n });
  await isDecided();
  await patient.settle(of, first.requestId, 0n);
  const hold = await waiting;
  assert.equal(hold.amount, 800n);
  assert.equal((await testLedger.reserve(of, 400n, { leastAmount: 100n })).amount, 200n);
});

test('all or nothing: when one meter refuses, the others hold nothing', async () => {
  const of = await testLedger.createCaller(1_000n);
  await fresh.accounts.directory.addCredits({ organizationId: of.organizationId, amount: 100n });
  assert.equal(await codeOf(testLedger.reserve(of, 500n)), 'credits_exhausted');
  assert.deepEqual(await testLedger.readMeter('key', of), { lim: '1000', used: '0', held: '0' });
  await fresh.accounts.directory.addCredits({ organizationId: of.organizationId, amount: 10_000n });
  assert.equal(await codeOf(testLedger.reserve(of, 5_000n)), 'key_limit_reached');
  assert.deepEqual(await testLedger.readMeter('credits', of), { lim: '10100', used: '0', held: '0' });
});

test('what costs nothing is admitted even when the key is overdrawn', async () => {
  const of = await testLedger.createCaller(100n);
  await testLedger.settle(of, (await testLedger.reserve(of, 100n)).requestId, 150n);
  assert.equal(await codeOf(testLedger.reserve(of, 1n)), 'key_limit_reached');
  const hold = await testLedger.reserve(of, 0n);
  assert.equal(hold.amount, 0n);
  await testLedger.settle(of, hold.requestId, 0n);
});

test('a client that disconnects while it waits leaves no hold behind', async () => {
  const of = await patient.createCaller(100n);
  const first = await patient.reserve(of, 100n);
  const gone = new AbortController();
  const waiting = patient.reserve(of, 100n, { signal: gone.signal });
  await isDecided();
  gone.abort();
  assert.equal(await codeOf(waiting), 'client_closed');
  await testLedger.settle(of, first.requestId, 0n);
  assert.deepEqual(await testLedger.readMeter('key', of), { lim: '100', used: '0', held: '0' });
});

test('a request that was admitted after a wait no longer listens to its client', async () => {
  const of = await patient.createCaller(100n);
  const first = await patient.reserve(of, 100n);
  const { signal } = new AbortController();
  const waiting = patient.reserve(of, 100n, { signal });
  await isDecided();
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  await patient.settle(of, first.requestId, 0n);
  await patient.settle(of, (await waiting).requestId, 0n);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('SIGTERM ends waits for money at once: waiting requests are refused, one being tried keeps its hold', async () => {
  const stopping = await fresh.join({ admissionWaitMs: PATIENCE_MS });
  const leaving = new TestLedger({ ...fresh, accounts: stopping });
  const of = await leaving.createCaller(1_000n);
  const first = await leaving.reserve(of, 1_000n);
  const waiting = [leaving.reserve(of, 900n), leaving.reserve(of, 800n)].map(refusalOf);
  await isDecided();
  const tried = leaving.reserve(await leaving.createCaller(10n), 10n);
  const startedMs = performance.now();
  stopping.ledger.stopWaiting();
  for (const refusal of await Promise.all([...waiting, refusalOf(leaving.reserve(of, 700n))])) {
    assert.equal(refusal.code, 'shutting_down');
    assert.equal(refusal.status, 503);
    assert.equal(refusal.facts.retryAfterSeconds, 2);
  }
  assert.ok(performance.now() - startedMs < PATIENCE_MS / 2, 'at once');
  assert.equal((await tried).amount, 10n);
  await leaving.settle(of, first.requestId, 0n);
  assert.deepEqual(await testLedger.readMeter('key', of), { lim: '1000', used: '0', held: '0' });
  assert.equal((await leaving.reserve(of, 600n)).amount, 600n, 'what needs not wait is still served');
});

test('closing refuses requests that still wait for money', async () => {
  const closing = await fresh.join({ admissionWaitMs: PATIENCE_MS });
  const last = new TestLedger({ ...fresh, accounts: closing });
  const of = await last.createCaller(1_000n);
  const { requestId } = await last.reserve(of, 1_000n);
  const waiting = refusalOf(last.reserve(of, 900n));
  await isDecided();
  await closing.close();
  assert.equal((await waiting).code, 'shutting_down');
  await testLedger.settle(of, requestId, 0n);
});
