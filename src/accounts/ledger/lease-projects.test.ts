import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Caller } from '#accounts';
import { GatewayError } from '#errors';
import { type FreshAccounts, createRow } from '../../../test/support/fresh-accounts.ts';
import {
  type LeaseProcess,
  type LeaseProcesses,
  openLeaseProcesses,
} from '../../../test/support/lease-processes.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { until } from '../../../test/support/until.ts';

const COST = 100n;

let opened: LeaseProcesses;
let fresh: FreshAccounts;
let testLedger: TestLedger;
let clock: TestClock;

beforeEach(async () => {
  clock = new TestClock();
  opened = await openLeaseProcesses({ windowClock: clock });
  ({ fresh } = opened);
  testLedger = new TestLedger(fresh);
});
afterEach(() => opened[Symbol.asyncDispose]());

const start = (journal?: string): Promise<LeaseProcess> => opened.start(journal, { clock });

async function useOnce({ accounts: { ledger } }: LeaseProcess, caller: Caller): Promise<void> {
  const requestId = testLedger.nextId();
  const row = createRow(caller, requestId);
  await ledger.reserve({ requestId, caller, amount: COST, row });
  await ledger.settle({ requestId, customer: COST, provider: 7n, estimated: false, row });
}

/** Another key of the project. */
async function createCaller(): Promise<Caller> {
  const { projectId } = fresh.caller;
  const { secret } = await fresh.accounts.directory.createKey({ projectId, label: 'another' });
  return fresh.accounts.identify(secret);
}

const limitProject = (limit: bigint | null) =>
  fresh.accounts.directory.updateProject(fresh.caller.projectId, { limit });

async function countLeases(): Promise<number> {
  return (await fresh.database.query({ text: 'SELECT FROM hold WHERE lease' })).rows.length;
}

/** One request after the other, until the limit refuses one; a slow machine may refuse some before that is known. */
async function spend(process: LeaseProcess, caller: Caller): Promise<void> {
  for (;;) {
    clock.advance(20); // for some seconds after a change there are no leases
    try {
      await useOnce(process, caller);
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'store_unavailable') continue;
      assert.ok(error instanceof GatewayError && error.code === 'project_limit_reached', String(error));
      return;
    }
  }
}

/** All requests of the keys until `isDone`; returns how many. */
async function keepBusy(
  process: LeaseProcess,
  callers: readonly Caller[],
  isDone: () => Promise<boolean>,
): Promise<bigint> {
  let requests = 0n;
  await until('it is done', async () => {
    clock.advance(100);
    await Promise.all(callers.flatMap((caller) => Array.from({ length: 8 }, () => useOnce(process, caller))));
    requests += 8n * BigInt(callers.length);
    return isDone();
  });
  return requests;
}

async function readUsage(): Promise<bigint> {
  return (await fresh.accounts.directory.getProject(fresh.caller.projectId)).usage;
}

test('what a project has left is spent to the last unit on leases of several keys in several processes', async () => {
  const processes = [await start('one'), await start('two')];
  const callers = [fresh.caller, await createCaller(), await createCaller()];
  await limitProject(150_000n);
  const spending = Promise.all(
    processes.flatMap((process) =>
      callers.flatMap((caller) => Array.from({ length: 4 }, () => spend(process, caller))),
    ),
  );
  await until('there are leases', async () => (await countLeases()) > 0);
  await spending;
  for (const process of processes) await process.accounts.close();
  assert.equal(await readUsage(), 150_000n);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

for (const recurs of [false, true])
  test(`leases that were open before the project had a limit count, also what is only in the journal of a crashed process: ${
    recurs ? 'with' : 'without'
  } periods`, async () => {
    const process = await start();
    const { directory } = fresh.accounts;
    const caller = await createCaller();
    if (recurs)
      await directory.updateKey(caller.keyId, { recurringLimit: { amount: 10n ** 9n, period: 'day' } });
    let count = 0n;
    await until('requests are admitted on a lease, and the process has crashed', async () => {
      process.revive();
      count += await keepBusy(process, [caller], async () => (await countLeases()) > 0);
      process.kill(); // the lease found may be about to go back
      const ends = await Promise.allSettled(Array.from({ length: 4 }, () => useOnce(process, caller)));
      const admitted = ends.filter(({ status }) => status === 'fulfilled').length;
      count += BigInt(admitted);
      return admitted > 0;
    });
    await limitProject((count + 3n) * COST);
    await fresh.database.query({ text: `UPDATE owner SET heartbeat_at = '-infinity'` });
    const successor = await start();
    assert.equal(await readUsage(), count * COST);
    const { rows } = await fresh.database.query({ text: 'SELECT FROM hold' });
    assert.equal(rows.length, 0);
    for (const each of [fresh.caller, caller, fresh.caller]) await useOnce(successor, each);
    await assert.rejects(useOnce(successor, caller), { code: 'project_limit_reached' });
    await successor.accounts.close();
    assert.deepEqual(await fresh.accounts.ledger.check(), []);
  });

test('a limit that is set and removed while keys are busy on leases counts all that they use', async () => {
  const process = await start();
  const callers = [fresh.caller, await createCaller()];
  let count = 0n;
  for (const limit of [10n ** 9n, null, 10n ** 8n, 10n ** 9n]) {
    count += await keepBusy(process, callers, async () => (await countLeases()) > 0);
    await limitProject(limit);
    count += await keepBusy(process, callers, async () => true);
  }
  await process.accounts.close();
  assert.equal(await readUsage(), count * COST);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('a project that is removed while its limit changes, a key is deleted and requests are open counts all, also from the journal of a crashed process', async () => {
  const [one, two] = [await start('one'), await start('two')];
  const { directory } = fresh.accounts;
  const callers = [fresh.caller, await createCaller(), await createCaller()];
  await limitProject(10n ** 9n);
  let count = 0n;
  for (const process of [one, two])
    count += await keepBusy(process, callers, async () => (await countLeases()) > 0);
  const open = callers.map((caller) => ({ requestId: testLedger.nextId(), caller }));
  for (const { requestId, caller } of open)
    await one.accounts.ledger.reserve({ requestId, caller, amount: COST, row: createRow(caller, requestId) });
  await limitProject(count * COST); // less than what is used and held
  await until('what leases still held is spent or returned', async () => {
    const [end] = await Promise.allSettled([useOnce(one, callers[1]!)]);
    if (end.status === 'fulfilled') count += 1n;
    return end.status === 'rejected' && (end.reason as GatewayError).code === 'project_limit_reached';
  });
  await limitProject(null);
  count += await keepBusy(two, callers, async () => (await countLeases()) > 0);
  await directory.deleteKey(callers[2]!.keyId);
  await limitProject(10n ** 9n);
  count += await keepBusy(two, callers, async () => (await countLeases()) > 0);
  two.kill();
  const ends = await Promise.allSettled(Array.from({ length: 8 }, () => useOnce(two, callers[0]!)));
  count += BigInt(ends.filter(({ status }) => status === 'fulfilled').length);
  await directory.removeProject(fresh.caller.projectId);
  for (const { requestId, caller } of open) {
    const row = createRow(caller, requestId);
    await one.accounts.ledger.settle({ requestId, customer: COST, provider: 7n, estimated: false, row });
    count += 1n;
  }
  await one.accounts.close();
  await fresh.database.query({ text: `UPDATE owner SET heartbeat_at = '-infinity'` });
  const successor = await start('two');
  await successor.accounts.close();
  const { usage, limit } = await directory.getProjectOrRemoved(fresh.caller.projectId);
  assert.deepEqual([usage, limit], [count * COST, null]);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});
