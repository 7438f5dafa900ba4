import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base';
import { type Database, Journal } from '#storage';
import { silentLog } from '#telemetry';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { Backlog } from './backlog.ts';
import { LedgerStore } from './ledger-store.ts';
import { JournalReplay } from './replay-journal.ts';

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
  const store = new LedgerStore({} as Database);
  const restored: JsonValue[] = [];
  store.restoreProgress = async (progress) => {
    await new Promise(setImmediate);
    restored.push(structuredClone(progress));
  };
  const replay = new JournalReplay({ store, exclusive: true, onFault: assert.ifError });
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
