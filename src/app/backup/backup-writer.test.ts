import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { BackupWriter } from './backup-writer.ts';

test('the rows of a table are counted as they are written, wherever they are split', async () => {
  using folder = createTemporaryFolder();
  const writer = await BackupWriter.create(join(folder.path, 'file'));
  const add = (name: string, chunks: string[]): Promise<void> =>
    writer.add(
      { name, columns: ['a', 'b'] },
      (async function* () {
        for (const chunk of chunks) yield Buffer.from(chunk);
      })(),
      () => undefined,
    );
  await add('one', ['1\t2\n3\t', '4\n5\t6', '\n']);
  await add('two', []);
  const { tables } = await writer.end();
  assert.deepEqual([tables['one']?.rows, tables['one']?.bytes, tables['two']?.rows], [3, 12, 0]);
});
