import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('a replay is over when the database has the progress that earlier processes left', async (t) => {
  const { path, remove } = createTemporaryFolder();
  t.after(remove);
  const earlier = await openJournal(path);
  const row = { requestId: 'req_1', organizationId: 'o', projectId: 'p', keyId: 'k', finishReason: 'stop' };
  const progress = new Map([['req_1', { customer: 1n, provider: 1n, row }]]);
  await new Backlog({ journal: earlier, onFault: () => undefined }).addProgress(progress);
  await earlier.close();

  const journal = await openJournal(path);
  const store = new LedgerStore({} as Database);
  let isWritten = false;
  store.restoreProgress = async () => {
    await new Promise(setImmediate);
    isWritten = true;
  };
  const replay = new JournalReplay({ store, exclusive: true, onFault: () => undefined });
  await replay.replay(journal.takeLeftovers());
  assert.equal(isWritten, true);
  await journal.close();
});
