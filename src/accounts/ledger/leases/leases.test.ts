import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { Caller } from '#accounts';
import { inspectJournal } from '#storage';
import { type FreshAccounts, createRow } from '../../../../test/support/fresh-accounts.ts';
import {
  type LeaseProcess,
  type LeaseProcesses,
  openLeaseProcesses,
} from '../../../../test/support/lease-processes.ts';
import { until } from '../../../../test/support/until.ts';

let opened: LeaseProcesses;
let fresh: FreshAccounts;
let serial = 0;

beforeEach(async () => {
  opened = await openLeaseProcesses();
  ({ fresh } = opened);
});
afterEach(() => opened[Symbol.asyncDispose]());

const start: LeaseProcesses['start'] = (...all) => opened.start(...all);

const nextId = (): string => `req_lease_${(serial += 1)}`;

async function reserve({ accounts }: LeaseProcess, caller: Caller, amount = 100n): Promise<string> {
  const requestId = nextId();
  const row = createRow(caller, requestId, { finishReason: 'gateway_error', status: 500 });
  await accounts.ledger.reserve({ requestId, caller, amount, row });
  return requestId;
}

const settle = (
  { accounts }: LeaseProcess,
  requestId: string,
  { caller, customer = 42n }: { caller: Caller; customer?: bigint },
): Promise<void> =>
  accounts.ledger.settle({
    requestId,
    customer,
    provider: 7n,
    estimated: false,
    row: createRow(caller, requestId),
  });

async function use(process: LeaseProcess, caller: Caller, customer = 42n): Promise<string> {
  const requestId = await reserve(process, caller);
  await settle(process, requestId, { caller: caller, customer: customer });
  return requestId;
}

const countLeases = async (): Promise<number> => (await readLeases()).length;

async function readLeases(): Promise<string[]> {
  const text = 'SELECT amount::text FROM hold WHERE lease ORDER BY request_id';
  return (await fresh.database.query<{ amount: string }>({ text })).rows.map(({ amount }) => amount);
}

async function readMeter(
  caller: Caller,
  kind: 'key' | 'credits' = 'key',
): Promise<{ used: number; held: number }> {
  const { rows } = await fresh.database.query<{ used: number; held: number }>({
    text: 'SELECT used::float8 AS used, held::float8 AS held FROM meter WHERE kind = $1 AND subject_id = $2',
    values: [kind, kind === 'key' ? caller.keyId : caller.organizationId],
  });
  assert.ok(rows[0]);
  return rows[0];
}

async function readKinds(requestId: string): Promise<string[]> {
  const text = 'SELECT kind FROM ledger_entry WHERE request_id = $1 ORDER BY kind';
  return (await fresh.database.query<{ kind: string }>({ text, values: [requestId] })).rows.map(
    ({ kind }) => kind,
  );
}

/** The processes with holds are thought gone. */
async function silence(): Promise<void> {
  await fresh.database.query({
    text: `UPDATE owner SET heartbeat_at = '-infinity' WHERE epoch IN (SELECT owner_epoch FROM hold)`,
  });
}

/** A request on a lease gets none before the next report. */
const OWN_HOLD = 'SELECT 1 FROM hold WHERE request_id = $1';

/** Makes a key busy until a request is served from its lease; returns how many requests that took. */
async function makeBusy(process: LeaseProcess, caller: Caller): Promise<number> {
  let requests = 0;
  const startedMs = Date.now();
  for (;;) {
    assert.ok(Date.now() - startedMs < 60_000, 'a lease in time');
    if ((await countLeases()) > 0) {
      const requestId = await reserve(process, caller);
      const { rows } = await fresh.database.query({ text: OWN_HOLD, values: [requestId] });
      await settle(process, requestId, { caller });
      requests += 1;
      if (rows.length === 0) return requests;
    } else {
      await Promise.all(Array.from({ length: 8 }, () => use(process, caller)));
      requests += 8;
    }
  }
}

async function createCaller(limit?: bigint): Promise<Caller> {
  const { secret } = await fresh.accounts.directory.createKey({
    projectId: fresh.caller.projectId,
    label: 'another',
    ...(limit !== undefined && { limit }),
  });
  return fresh.accounts.identify(secret);
}

test('requests on a lease are booked exactly, and the key’s status shows each at once', async () => {
  const process = await start();
  let count = await makeBusy(process, fresh.caller);
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => use(process, fresh.caller)));
    count += 20;
    const { usage, isCurrent } = await process.accounts.findKeyStatus(fresh.caller);
    assert.ok(isCurrent);
    assert.equal(BigInt(Math.round(Number(usage) * 1e12)), BigInt(count) * 42n);
  }
  await process.accounts.close();
  assert.deepEqual(await readMeter(fresh.caller), { used: count * 42, held: 0 });
  assert.equal(await countLeases(), 0);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('another process sees what was settled on a lease at once', async () => {
  const [one, other] = [await start('one'), await start('other')];
  let count = await makeBusy(one, fresh.caller);
  for (let round = 0; round < 3; round += 1) {
    await use(one, fresh.caller);
    count += 1;
    const { usage, isCurrent } = await other.accounts.findKeyStatus(fresh.caller);
    assert.ok(isCurrent);
    assert.equal(BigInt(Math.round(Number(usage) * 1e12)), BigInt(count) * 42n);
  }
});

test('a settlement is booked once, however often it is reported', async () => {
  const process = await start();
  await makeBusy(process, fresh.caller);
  const requestId = await reserve(process, fresh.caller);
  await Promise.all([1, 2, 3].map(() => settle(process, requestId, { caller: fresh.caller })));
  await process.accounts.ledger.catchUp(fresh.caller);
  await settle(process, requestId, { caller: fresh.caller, customer: 99n });
  await process.accounts.ledger.catchUp(fresh.caller);
  assert.deepEqual(await readKinds(requestId), ['usage']);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('a lease that others need is returned: no request is refused that the organization can pay', async () => {
  const process = await start('one');
  const neighbour = await start('other');
  const limited = await createCaller(1_000_000n);
  await makeBusy(process, limited);
  const { used } = await readMeter(limited);
  const rest = 1_000_000n - BigInt(used);
  // All that is left, while the other process holds a part of it.
  const requestId = await reserve(neighbour, limited, rest - 42n * 64n);
  await settle(neighbour, requestId, { caller: limited, customer: 1n });
  await until('all is returned', async () => (await readMeter(limited)).held === 0);
});

test('a lowered limit ends the lease under it', async () => {
  const process = await start();
  const limited = await createCaller(1_000_000_000n);
  await makeBusy(process, limited);
  const { used } = await readMeter(limited);
  await fresh.accounts.directory.updateKey(limited.keyId, { limit: BigInt(used) });
  await until('the lease is gone', async () => (await countLeases()) === 0);
  await assert.rejects(reserve(process, limited), /limit/);
});

test('an unused lease is returned', async () => {
  const process = await start();
  await makeBusy(process, fresh.caller);
  await until('the lease is gone', async () => (await countLeases()) === 0);
  assert.equal((await readMeter(fresh.caller)).held, 0);
  assert.deepEqual(await process.accounts.ledger.check(), []);
});

test('a key’s limit is spent to its last unit by many at once, and never exceeded', async () => {
  const limit = 200_000n;
  const limited = await createCaller(limit);
  const processes = await Promise.all(['a', 'b', 'c'].map((name) => start(name)));
  let spent = 0n;
  await Promise.all(
    processes.flatMap((process) =>
      Array.from({ length: 8 }, async () => {
        for (;;) {
          try {
            await use(process, limited, 100n);
            spent += 100n;
          } catch (error) {
            assert.match(String(error), /limit/);
            return;
          }
        }
      }),
    ),
  );
  assert.equal(spent, limit);
  await Promise.all(processes.map(({ accounts }) => accounts.ledger.catchUp(limited)));
  assert.equal((await readMeter(limited)).used, Number(limit));
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('after a kill every request on a lease has its entry, and the lease is returned', async () => {
  const process = await start();
  let count = await makeBusy(process, fresh.caller);
  await process.accounts.ledger.catchUp(fresh.caller);
  process.kill();
  // A lease covers eight of them at least.
  const ids = await Promise.all(Array.from({ length: 5 }, () => use(process, fresh.caller)));
  const open = await Promise.all(Array.from({ length: 2 }, () => reserve(process, fresh.caller)));
  count += ids.length;
  await silence();
  const next = await start();
  for (const id of ids) assert.deepEqual(await readKinds(id), ['usage']);
  for (const id of open) assert.deepEqual(await readKinds(id), ['estimate']);
  assert.deepEqual(await readMeter(fresh.caller), { used: count * 42, held: 0 });
  const { rows } = await fresh.database.query({ text: "SELECT FROM ledger_entry WHERE kind = 'lost'" });
  assert.equal(rows.length, 0);
  assert.deepEqual(await next.accounts.ledger.check(), []);
});

test('without the journal of a dead process its open requests are estimated and the rest of its lease is lost, at no budget’s expense', async () => {
  const process = await start();
  const count = await makeBusy(process, fresh.caller);
  await process.accounts.ledger.catchUp(fresh.caller);
  const open = await reserve(process, fresh.caller);
  await until('it has a hold of its own', async () => {
    const text = 'SELECT FROM hold WHERE request_id = $1';
    return (await fresh.database.query({ text, values: [open] })).rows.length === 1;
  });
  process.kill();
  await silence();
  await fresh.accounts.ledger.sweep();
  assert.deepEqual(await readKinds(open), ['estimate']);
  assert.deepEqual(await readMeter(fresh.caller), { used: count * 42, held: 0 });
  const { rows } = await fresh.database.query<{ customer: string; provider: string }>({
    text: "SELECT customer::text, provider::text FROM ledger_entry WHERE kind = 'lost'",
  });
  assert.equal(rows.length, 1);
  assert.equal(rows[0]?.customer, '0');
  assert.deepEqual(await fresh.accounts.ledger.check(), []);

  assert.equal(await fresh.accounts.ledger.sumLost(), BigInt(rows[0].provider));

  await start(); // with the journal after all
  assert.equal(await fresh.accounts.ledger.sumLost(), 0n);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('a job that takes over the hold of a request on a lease leaves nothing behind in the journal', async () => {
  const process = await start();
  await makeBusy(process, fresh.caller);
  const requestId = await reserve(process, fresh.caller);
  const { ledger } = process.accounts;
  await fresh.database.transaction((client) => ledger.transferHold(client, requestId));
  const settlement = { requestId, customer: 42n, provider: 7n, estimated: false };
  const row = createRow(fresh.caller, requestId);
  await fresh.database.transaction((client) => ledger.resolve(client, { ...settlement, row }));
  await process.accounts.close();
  const folder = join(opened.folder, 'journal');
  await until('nothing is left', async () => (await inspectJournal(folder)).records.length === 0);
  assert.deepEqual(await readKinds(requestId), ['usage']);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('the journal refuses a request: it takes a hold of its own', async () => {
  const process = await start();
  await makeBusy(process, fresh.caller);
  await process.journal.close();
  const row = createRow(fresh.caller, 'req_refused');
  await assert.rejects(
    process.accounts.ledger.reserve({ requestId: 'req_refused', caller: fresh.caller, amount: 1n, row }),
    /settlements/,
  );
});

for (const [durability, isSynced] of [
  ['written', false],
  ['durable', true],
] as const) {
  test(`a request on a lease ${isSynced ? 'waits' : 'does not wait'} until it is ${durability}`, async () => {
    const process = await start('journal', { durability });
    await makeBusy(process, fresh.caller);
    const gate = Promise.withResolvers<undefined>();
    let syncs = 0;
    process.disk.beforeSync = () => {
      syncs += 1;
      return gate.promise;
    };
    let isAdmitted = false;
    const reserving = reserve(process, fresh.caller).then((id) => {
      isAdmitted = true;
      return id;
    });
    await until('a sync is asked for', async () => syncs > 0);
    assert.equal(isAdmitted, !isSynced);
    gate.resolve(undefined);
    await settle(process, await reserving, { caller: fresh.caller });
  });
}
