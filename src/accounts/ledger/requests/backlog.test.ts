import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Journal, inspectJournal } from '#storage';
import { silentLog } from '#telemetry';
import { type TemporaryFolder, createTemporaryFolder } from '../../../../test/support/temporary.ts';
import { until } from '../../../../test/support/until.ts';
import { Backlog } from './backlog.ts';
import type { Settlement } from '../ledger.ts';
import { createStoreTooSlow } from '../store/store-fault.ts';

let temporary: TemporaryFolder;

before(() => (temporary = createTemporaryFolder()));
after(() => temporary.remove());

test('progress that is written while earlier progress is dropped is dropped with the next', async () => {
  const folder = temporary.path;
  const journal = new Journal({ folder, installation: 'here', log: silentLog });
  await journal.open();
  const onFault = (error: unknown): void => {
    throw error;
  };
  const backlog = new Backlog({ journal, onFault });
  const progress = new Map([['req_1', { customer: 1n, provider: 1n, row: createRow() }]]);
  await backlog.addProgress(progress);
  const dropFirst = backlog.markProgress();
  const writing = backlog.addProgress(progress);
  dropFirst();
  await writing;
  backlog.markProgress()();
  await until('nothing is left', async () => (await inspectJournal(folder)).records.length === 0);
  await journal.close();
});

function createRow(requestId = 'req_1') {
  return {
    requestId,
    organizationId: 'org',
    projectId: 'project',
    keyId: 'key',
    finishReason: 'gateway_error',
  };
}

/** A backlog with a journal in memory. */
function openScene() {
  const disk = {
    isReady: true,
    isRoomy: true,
    isFull: false,
    gate: undefined as Promise<undefined> | undefined,
    kept: [] as string[],
    repairs: 0,
    append: async (text: string) => {
      await disk.gate;
      if (disk.isFull) throw new Error('full');
      const name = text.startsWith('{"progress"') ? (/"c":"(\d+)"/.exec(text)?.[1] ?? '') : 'settlement';
      disk.kept.push(name);
      return { confirm: () => void disk.kept.splice(disk.kept.indexOf(name), 1) };
    },
    repair: async () => void (disk.repairs += 1),
  };
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  return { disk, faults, backlog: new Backlog({ journal: disk as unknown as Journal, onFault }) };
}

const settle = (requestId = 'req_1'): Settlement => ({
  requestId,
  customer: 1n,
  provider: 1n,
  estimated: false,
  row: createRow(requestId),
});
const own = (settlement: Settlement) => ({
  settlement,
  subject: { keyId: 'key', projectId: 'p', organizationId: 'org', premium: false },
});
const progressOf = (customer: bigint) => new Map([['req_1', { customer, provider: 1n, row: createRow() }]]);

test('a settlement is safe once the journal has it, until the store has it', async () => {
  const { backlog, disk } = openScene();
  const settlement = settle();
  assert.equal(await backlog.keep(own(settlement)), true);
  assert.deepEqual([backlog.size, backlog.isSafe('req_1'), disk.kept], [1, true, ['settlement']]);
  assert.equal(backlog.find('req_1'), settlement);
  backlog.discard('req_1');
  assert.deepEqual([backlog.size, backlog.isSafe('req_1'), disk.kept], [0, false, []]);
});

test('a settlement that the store has before the journal does not stay in the journal', async () => {
  const { backlog, disk } = openScene();
  const gate = Promise.withResolvers<undefined>();
  disk.gate = gate.promise;
  const keeping = backlog.keep(own(settle()));
  backlog.discard('req_1');
  gate.resolve(undefined);
  assert.equal(await keeping, true);
  assert.deepEqual([backlog.size, disk.kept], [0, []]);
});

test('a settlement without a journal, or with one that fails, is kept in memory and is not safe', async () => {
  const { backlog, disk, faults } = openScene();
  disk.isFull = true;
  const bare = new Backlog({ journal: undefined, onFault: assert.ifError });
  for (const one of [backlog, bare]) {
    assert.equal(await one.keep(own(settle())), false);
    assert.deepEqual([one.size, one.isSafe('req_1')], [1, false]);
    one.discard('req_1');
    assert.equal(one.size, 0);
  }
  assert.equal(faults.length, 1);
  disk.isReady = false;
  assert.deepEqual([backlog.isReady, bare.isReady], [false, true]);
});

test('what the store refuses is tried once and stays in the journal; what it cannot take now is tried again', async () => {
  const { backlog, disk } = openScene();
  await backlog.keep(own(settle('refused')));
  await backlog.keep(own(settle('later')));
  const retry = (): Promise<void> =>
    backlog.retry(async ({ requestId }) => {
      throw requestId === 'refused' ? new Error('refused') : createStoreTooSlow();
    });
  await assert.rejects(retry(), /refused/);
  assert.deepEqual([backlog.find('refused'), backlog.size, disk.kept.length], [undefined, 1, 2]);
  await assert.rejects(retry(), { code: 'store_unavailable' });
  assert.equal(backlog.size, 1);
});

test('earlier progress is dropped once, and only when the journal has the newer', async () => {
  const { backlog, disk, faults } = openScene();
  assert.equal(await backlog.addProgress(new Map()), false);
  assert.equal(await backlog.addProgress(progressOf(1n)), true);
  disk.isRoomy = false;
  await backlog.replaceProgress(progressOf(2n));
  disk.isRoomy = true;
  disk.isFull = true;
  await backlog.replaceProgress(progressOf(3n));
  assert.deepEqual([disk.kept, faults.length], [['1'], 1]);
  disk.isFull = false;
  await backlog.replaceProgress(progressOf(4n));
  assert.deepEqual(disk.kept, ['4']);
  await backlog.replaceProgress(progressOf(5n));
  assert.deepEqual(disk.kept, ['5']);
  await backlog.repair();
  assert.equal(disk.repairs, 1);
});
