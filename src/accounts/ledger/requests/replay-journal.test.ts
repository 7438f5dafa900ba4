import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import { Journal, type Leftover } from '#storage';
import { silentLog } from '#telemetry';
import { createTemporaryFolder } from '../../../../test/support/temporary.ts';
import { Backlog } from './backlog.ts';
import { readBootId } from '../store/boot-id.ts';
import type { LedgerCalls } from '../store/ledger-calls.ts';
import { OwnerStore } from '../store/owner-store.ts';
import { JournalReplay } from './replay-journal.ts';
import { createStoreTooSlow } from '../store/store-fault.ts';

async function openJournal(folder: string): Promise<Journal> {
  const journal = new Journal({ folder, installation: 'test', log: silentLog });
  await journal.open();
  return journal;
}

const ROW = { requestId: 'req_1', organizationId: 'o', projectId: 'p', keyId: 'k', finishReason: 'stop' };

/** Leaves progress in a journal, one record per report, and replays it on a store that takes its time. */
async function replayProgress(folder: string, reports: readonly bigint[]): Promise<JsonValue[]> {
  const earlier = await openJournal(folder);
  const backlog = new Backlog({ journal: earlier, onFault: () => undefined });
  for (const customer of reports)
    await backlog.addProgress(new Map([['req_1', { customer, provider: 1n, row: ROW }]]));
  await earlier.close();
  const journal = await openJournal(folder);
  const store = new OwnerStore({} as LedgerCalls);
  const restored: JsonValue[] = [];
  store.restoreProgress = async (progress) => {
    await new Promise(setImmediate);
    restored.push(structuredClone(progress));
  };
  const replay = new JournalReplay({
    store,
    settleEncoded: async () => assert.fail('there is nothing to settle'),
    exclusive: true,
    onFault: assert.ifError,
  });
  await replay.replay(journal.takeLeftovers());
  await journal.close();
  return restored;
}

test('a replay is over when the database has the progress that earlier processes left', async (t) => {
  const { path, remove } = createTemporaryFolder();
  t.after(remove);
  const [restored] = await replayProgress(path, [1n]);
  assert.deepEqual(restored, { req_1: { c: '1', p: '1', row: ROW } });
  assert.deepEqual(await replayProgress(path, []), [], 'and the journal is empty then');
});

test('of many reports of a request the furthest is restored, in one statement', async (t) => {
  const { path, remove } = createTemporaryFolder();
  t.after(remove);
  assert.deepEqual(await replayProgress(path, [5n, 30n, 7n]), [{ req_1: { c: '30', p: '1', row: ROW } }]);
});

const OTHER_BOOT = 'another start of the machine';
const settled = (id: string): JsonObject => ({ id, c: '7' });
const opened = (id: string, epoch: string, lease = `lease_of_${epoch}`): JsonObject => ({
  opened: { id, w: epoch, c: '0' },
  lease,
  amount: `${id.length}`,
});
const owner = (epoch: string, boot = readBootId()): JsonObject => ({ owner: epoch, boot });

/** Replays records on a database that notes its calls. */
class Scene {
  readonly calls: [name: string, given: unknown][] = [];
  readonly confirmed: string[] = [];
  readonly faults: unknown[] = [];
  /** Processes that have ended, requests that the database has, and what settling one fails with. */
  gone: string[] = [];
  known: string[] = [];
  fault: ((id: unknown) => Error | undefined) | undefined;
  isBesideDamage = false;
  readonly replay: JournalReplay;

  constructor() {
    const store = new OwnerStore({} as LedgerCalls);
    store.findKnown = async (ids) => (this.calls.push(['known', ids]), this.known);
    store.findGone = async (epochs, exclusive) => (this.calls.push(['gone', [epochs, exclusive]]), this.gone);
    store.returnLeases = async (epochs) => void this.calls.push(['return', epochs]);
    store.restoreProgress = async (progress) => void this.calls.push(['progress', progress]);
    this.replay = new JournalReplay({
      store,
      settleEncoded: async (record) => {
        const { id } = record as JsonObject;
        const fault = this.fault?.(id);
        if (fault) throw fault;
        this.calls.push(['settle', record]);
      },
      exclusive: false,
      onFault: (error) => this.faults.push(error),
    });
  }

  run(...records: (JsonObject | string)[]): Promise<void> {
    const leftovers = records.map((record): Leftover => {
      const text = typeof record === 'string' ? record : JSON.stringify(record);
      return { text, isBesideDamage: this.isBesideDamage, confirm: () => void this.confirmed.push(text) };
    });
    return this.replay.replay(leftovers);
  }

  /** What was called since the last look. */
  take(): [string, unknown][] {
    return this.calls.splice(0);
  }
}

test('a settlement is written and done with; one that is refused stays, and so does what cannot be read', async () => {
  const scene = new Scene();
  scene.fault = (id) => (id === 'odd' ? new Error('odd') : undefined);
  await scene.run('{', settled('odd'), settled('a'));
  assert.deepEqual(scene.take(), [['settle', settled('a')]]);
  assert.deepEqual(scene.confirmed, [JSON.stringify(settled('a'))]);
  assert.equal(scene.faults.length, 2);
  scene.fault = () => createStoreTooSlow();
  await assert.rejects(scene.run(settled('b')), { code: 'store_unavailable' });
  assert.equal(scene.confirmed.length, 1);
});

test('many settlements are written a thousand at a time', async () => {
  const scene = new Scene();
  let [open, most] = [0, 0];
  const store = new OwnerStore({} as LedgerCalls);
  const settleEncoded = async (): Promise<void> => {
    open += 1;
    most = Math.max(most, open);
    await new Promise(setImmediate);
    open -= 1;
  };
  const replay = new JournalReplay({ store, settleEncoded, exclusive: true, onFault: assert.ifError });
  const confirm = (): void => void scene.confirmed.push('');
  const leftovers = Array.from({ length: 2_001 }, (_, at) => ({
    text: `{"id":"${at}"}`,
    isBesideDamage: false,
    confirm,
  }));
  await replay.replay(leftovers);
  assert.deepEqual([most, scene.confirmed.length], [1_000, 2_001]);
});

test('as many requests on leases as a journal holds are read, and done with, at once', async () => {
  const scene = new Scene();
  scene.gone = ['1'];
  const records = Array.from({ length: 150_000 }, (_, at) => opened(`r${at}`, '1'));
  await scene.replay.replay(
    [...records, owner('1')].map((record) => ({
      text: JSON.stringify(record),
      isBesideDamage: false,
      confirm: () => undefined,
    })),
  );
  assert.equal(scene.take().filter(([name]) => name === 'settle').length, records.length);
  await scene.replay.resume();
  assert.deepEqual(scene.take(), [], 'nothing waits any more');
});

test('requests on leases wait until their process is gone, then cost what was last reported', async () => {
  const scene = new Scene();
  const progress = { progress: { a: { c: '5', p: '6' } } };
  await scene.run(opened('a', '1'), opened('b', '1'), opened('c', '2'), progress);
  assert.deepEqual(scene.take(), [
    ['gone', [['1', '2'], false]],
    ['progress', progress.progress],
  ]);
  assert.deepEqual(scene.confirmed, [JSON.stringify(progress)]);
  [scene.gone, scene.known] = [['1'], ['b']];
  await scene.replay.resume();
  assert.deepEqual(scene.take(), [
    ['gone', [['1', '2'], false]],
    ['known', ['a', 'b']],
    ['settle', { id: 'a', w: '1', c: '5', p: '6' }],
  ]);
  assert.deepEqual(
    scene.confirmed.slice(1).sort(),
    [opened('a', '1'), opened('b', '1')].map((one) => JSON.stringify(one)),
  );
  scene.gone = [];
  await scene.replay.resume();
  assert.deepEqual(scene.take(), [['gone', [['2'], false]]]);
  scene.gone = ['2'];
  await scene.replay.resume();
  scene.take();
  await scene.replay.resume();
  assert.deepEqual(scene.take(), [], 'nothing waits any more');
});

test('the leases of a process that is gone are given back, unless its last records may be missing', async () => {
  const scene = new Scene();
  scene.gone = ['1', '2'];
  await scene.run(owner('1'), owner('2', OTHER_BOOT), owner('3'));
  assert.deepEqual(scene.take(), [
    ['gone', [['1', '2', '3'], false]],
    ['return', ['1']],
  ]);
  assert.deepEqual(
    scene.confirmed,
    [owner('1'), owner('2', OTHER_BOOT)].map((one) => JSON.stringify(one)),
  );
  scene.gone = ['3'];
  await scene.replay.resume();
  assert.deepEqual(scene.take().slice(1), [['return', ['3']]]);
});

test('after a power failure leases are left to the sweep, which books the rest of them as lost', async () => {
  const scene = new Scene();
  scene.gone = ['1', '2'];
  await scene.run(owner('1', OTHER_BOOT), owner('2'));
  assert.deepEqual(
    scene.take().filter(([name]) => name === 'return'),
    [['return', ['2']]],
  );
});

test('where records of the journal are damaged, leases are left to the sweep, too', async () => {
  const scene = new Scene();
  scene.gone = ['1'];
  scene.isBesideDamage = true;
  await scene.run(owner('1'));
  assert.deepEqual(
    scene.take().map(([name]) => name),
    ['gone'],
  );
  assert.equal(scene.confirmed.length, 1);
});

test('a request and the owner of its lease are both done with at once', async () => {
  const scene = new Scene();
  scene.gone = ['1'];
  await scene.run(opened('a', '1'), owner('1'));
  assert.deepEqual(
    scene.take().map(([name]) => name),
    ['gone', 'known', 'settle', 'return'],
  );
  assert.equal(scene.confirmed.length, 2);
  await scene.replay.resume();
  assert.deepEqual(scene.take(), []);
});

test('of reports at the same cost the last is restored', async () => {
  const scene = new Scene();
  await scene.run({ progress: { a: { c: '5', p: '1' } } }, { progress: { a: { c: '5', p: '2' } } });
  assert.deepEqual(scene.take(), [['progress', { a: { c: '5', p: '2' } }]]);
  assert.equal(scene.confirmed.length, 2);
});
