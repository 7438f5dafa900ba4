import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { openJournalFiles } from './journal-files.ts';

/** Counts the writes that the main thread waits for. */
function countSynchronous(t: TestContext): () => number {
  const { mock } = t.mock.method(fs, 'writeSync');
  syncBuiltinESMExports();
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  return () => mock.callCount();
}

test('only a write beside a sync of its file, which may wait for the disk, is left to a thread', async (t) => {
  using folder = createTemporaryFolder();
  const count = countSynchronous(t);
  const file = await openJournalFiles(folder.path).create('a');
  await file.append(Buffer.from('one '));
  assert.equal(count(), 1);
  await Promise.all([file.sync(), file.append(Buffer.from('two '))]);
  assert.equal(count(), 1);
  await file.append(Buffer.from('three'));
  assert.equal(count(), 2);
  await file.close();
  assert.equal(fs.readFileSync(join(folder.path, 'a'), 'utf8'), 'one two three');
});
