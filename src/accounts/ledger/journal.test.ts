import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { isStoreUnavailable } from '../../../test/support/catch-refusal.ts';
import type { Accounts } from '#accounts';
import { Journal, inspectJournal } from '#storage';
import { silentLog } from '#telemetry';
import { type FaultyDatabase, createFaultyDatabase } from '../../../test/support/faulty-database.ts';
import { type FaultyFiles, createFaultyFiles } from '../../../test/support/faulty-files.ts';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { SLOWNESS_MS } from '../../../test/support/within.ts';
import { kindOf } from './store/store-codec.ts';

const fresh = shareOpened(() => openFreshAccounts());
let temporary: TemporaryFolder;
let folder: string;
let faulty: FaultyDatabase;
let disk: FaultyFiles;
let accounts: Accounts;
let serial = 0;

beforeEach(async () => {
  temporary = createTemporaryFolder();
  folder = join(temporary.path, 'journal');
  disk = createFaultyFiles(folder);
  faulty = createFaultyDatabase(await fresh.fresh.connect());
  accounts = await start({ database: faulty.database });
});
afterEach(async () => {
  faulty.state = 'down'; // everything open was closed with its test
  await disk.closeAll();
  temporary.remove();
});

/** A process on this data directory. The previous one counts as killed once its database is down for good. */
async function start(options: Parameters<FreshAccounts['join']>[0] = {}): Promise<Accounts> {
  const journal = new Journal({ folder, installation: 'test', log: silentLog, files: disk.files });
  await journal.open();
  return fresh.join({ journal, ...options });
}

async function reserve(): Promise<string> {
  const requestId = `req_${(serial += 1)}`;
  const row = createRow(fresh.caller, requestId, { finishReason: 'gateway_error', status: 500 });
  await accounts.ledger.reserve({ requestId, caller: fresh.caller, amount: 100n, row });
  return requestId;
}

const settle = (requestId: string, customer = 42n, by = accounts) =>
  by.ledger.settle({
    requestId,
    customer,
    provider: 7n,
    estimated: false,
    row: createRow(fresh.caller, requestId),
  });

async function readEntries(requestId: string): Promise<unknown[]> {
  const { rows } = await fresh.database.query({
    text: 'SELECT kind, customer::int, provider::int FROM ledger_entry WHERE request_id = $1 ORDER BY kind DESC',
    values: [requestId],
  });
  return rows;
}

const readJournal = (): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join();
const isWaiting = async (): Promise<number> =>
  (await inspectJournal(folder, (text) => ['settlement', 'progress'].includes(kindOf(text)))).records.length;
const EXACT = [{ kind: 'usage', customer: 42, provider: 7 }];

test('[D1] settlements that find the database down are safe at once, written when it is back, and gone from the journal then', async () => {
  const requestIds = await Promise.all(Array.from({ length: 50 }, reserve));
  faulty.state = 'down';
  await Promise.all(requestIds.map((requestId) => settle(requestId)));
  await settle(requestIds[0] ?? '', 99n); // repeated: it is safe already
  assert.equal(await isWaiting(), 50);
  faulty.state = 'up';
  await until('all is written', async () => (await isWaiting()) === 0);
  for (const requestId of requestIds) assert.deepEqual(await readEntries(requestId), EXACT);
  assert.deepEqual(await accounts.ledger.check(), []);
});

test('[D2] a database that takes long keeps no caller waiting for its end, and what it takes late is confirmed', async () => {
  const requestId = await reserve();
  faulty.state = 'stuck';
  const startedMs = performance.now();
  await settle(requestId);
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs > 450 && tookMs < 500 + SLOWNESS_MS, `${Math.round(tookMs)} ms`);
  assert.equal(await isWaiting(), 1);
  faulty.state = 'up';
  await until('it is written', async () => (await isWaiting()) === 0);
  assert.deepEqual(await readEntries(requestId), EXACT);
});

test('[crash point 10] database down at settle, then killed: exact after the next start, and no estimate is made of it', async () => {
  const requestIds = await Promise.all(Array.from({ length: 20 }, reserve));
  faulty.state = 'down';
  await Promise.all(requestIds.map((requestId) => settle(requestId)));
  const next = await start({ exclusive: true });
  for (const requestId of requestIds) assert.deepEqual(await readEntries(requestId), EXACT);
  assert.equal(await isWaiting(), 0);
  assert.deepEqual(await next.ledger.check(), []);
});

test('[D3, crash point 9] a settlement whose commit was made and never acknowledged, in the journal too, is booked once', async () => {
  const requestId = await reserve();
  faulty.state = 'silent';
  await settle(requestId);
  assert.equal(await isWaiting(), 1);
  faulty.state = 'down';
  const next = await start({ exclusive: true });
  assert.deepEqual(await readEntries(requestId), EXACT);
  assert.deepEqual(await next.ledger.check(), []);
});

test('[crash point 12] a hold that was swept meanwhile gets one adjustment, however often the journal is replayed', async () => {
  const requestId = await reserve();
  faulty.state = 'down';
  await settle(requestId);
  await fresh.join({ exclusive: true }); // another data directory, which does not have the journal
  const kept = readdirSync(folder);
  assert.equal(kept.length, 1);
  const next = await start();
  await start();
  assert.deepEqual(await readEntries(requestId), [
    { kind: 'estimate', customer: 0, provider: 0 },
    { kind: 'adjust', customer: 42, provider: 7 },
  ]);
  assert.deepEqual(await next.ledger.check(), []);
});

const note = (requestId: string, customer: bigint): void =>
  accounts.ledger.recordProgress(requestId, {
    customer,
    provider: 3n,
    row: createRow(fresh.caller, requestId, { finishReason: 'gateway_error' }),
  });

for (const state of ['down', 'stuck'] as const) {
  test(`how far a request has come while the database is ${state} is charged after a kill, once`, async () => {
    const [streaming, settled] = [await reserve(), await reserve()];
    faulty.state = state;
    note(streaming, 20n);
    note(settled, 20n);
    await until('it is kept', async () => (await isWaiting()) === 1);
    note(streaming, 33n);
    await settle(settled);
    await until('the newest is kept', async () => readJournal().includes('"c":"33"'));
    faulty.state = 'down';
    const next = await start({ exclusive: true });
    assert.deepEqual(await readEntries(streaming), [{ kind: 'estimate', customer: 33, provider: 3 }]);
    assert.deepEqual(await readEntries(settled), EXACT);
    assert.deepEqual(await next.ledger.check(), []);
  });
}

test('the progress of a request is charged after a kill, though the database does not have it', async () => {
  const streaming = await reserve();
  faulty.state = 'stuck'; // before the next heartbeat
  note(streaming, 20n);
  note(streaming, 33n);
  await until('it is kept', async () => readJournal().includes('"c":"33"'));
  faulty.state = 'down';
  const next = await start({ exclusive: true });
  assert.deepEqual(await readEntries(streaming), [{ kind: 'estimate', customer: 33, provider: 3 }]);
  assert.deepEqual(await next.ledger.check(), []);
});

test('journaled progress is dropped once the database has it, and never overwrites later figures', async () => {
  const requestId = await reserve();
  faulty.state = 'down';
  note(requestId, 20n);
  await until('it is kept', async () => (await isWaiting()) === 1);
  const kept = readdirSync(folder).map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
  faulty.state = 'up';
  note(requestId, 40n);
  await until('it is reported', async () => (await isWaiting()) === 0);
  for (const { name, bytes } of kept) writeFileSync(join(folder, `old-${name}`), bytes);
  faulty.state = 'down';
  const next = await start({ exclusive: true });
  assert.deepEqual(await readEntries(requestId), [{ kind: 'estimate', customer: 40, provider: 3 }]);
  assert.deepEqual(await next.ledger.check(), []);
});

test('a start that finds the database down half-way keeps the journal for the next one', async () => {
  const requestId = await reserve();
  faulty.state = 'down';
  await settle(requestId);
  await assert.rejects(start({ database: faulty.database }), isStoreUnavailable);
  assert.equal(await isWaiting(), 1);
  await start();
  assert.deepEqual(await readEntries(requestId), EXACT);
});

test('what the database permanently refuses stays in the journal and blocks nothing else', async () => {
  const requestId = await reserve();
  faulty.state = 'down';
  await settle(requestId);
  const journal = new Journal({ folder, installation: 'test', log: silentLog, files: disk.files });
  await journal.open();
  await journal.append(
    JSON.stringify({ id: 'req_poison', k: 'no such key', o: 'none', c: '1', p: '1', e: false, row: {} }),
  );
  await journal.append('no JSON');
  const reported: unknown[] = [];
  const next = await start({ exclusive: true, onFault: (error) => void reported.push(error) });
  assert.deepEqual(await readEntries(requestId), EXACT);
  assert.equal(reported.length, 2);
  assert.ok((await isWaiting()) >= 2);
  assert.deepEqual(await next.ledger.check(), []);
});

for (const state of ['full', 'broken'] as const) {
  test(`[P8, P9] with the database down and a disk that is ${state} no end is acknowledged and nothing billable is admitted, until a file works`, async () => {
    const requestId = await reserve();
    faulty.state = 'down';
    disk.state = state;
    await assert.rejects(settle(requestId), isStoreUnavailable);
    faulty.state = 'up';
    await assert.rejects(reserve(), isStoreUnavailable);
    disk.state = 'well';
    await until('requests are admitted again', () =>
      reserve().then(
        () => true,
        () => false,
      ),
    );
    await until('and the settlement is written', async () => (await readEntries(requestId)).length > 0);
    assert.deepEqual(await readEntries(requestId), EXACT);
    assert.equal(disk.syncsAfterFailure, 0);
  });
}

test('a process whose journal cannot be written reports that it is not ready, until it can', async () => {
  await accounts.ledger.checkReady();
  const open = await reserve();
  faulty.state = 'down';
  disk.state = 'full';
  await assert.rejects(settle(open), isStoreUnavailable);
  faulty.state = 'up';
  await assert.rejects(accounts.ledger.checkReady(), isStoreUnavailable);
  disk.state = 'well';
  await until('it is ready again', () =>
    accounts.ledger.checkReady().then(
      () => true,
      () => false,
    ),
  );
  await reserve();
});

test('a process whose table another session has locked reports that it is not ready, until the lock is gone', async () => {
  const isReady = (): Promise<boolean> =>
    accounts.ledger.checkReady().then(
      () => true,
      () => false,
    );
  const psql = await fresh.database.openSession('psql');
  await psql.query({ text: 'BEGIN' });
  await psql.query({ text: 'LOCK TABLE hold IN ACCESS EXCLUSIVE MODE' });
  try {
    await assert.rejects(reserve(), isStoreUnavailable);
    await until('it says so', async () => !(await isReady()));
  } finally {
    await psql.close();
  }
  await until('it is ready again', isReady);
  await reserve();
});
