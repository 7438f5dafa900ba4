import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { type Log, silentLog } from '#telemetry';
import type { FaultyFiles } from '../../../test/support/faulty-files.ts';
import { giveJournalFolder } from '../../../test/support/journal-folder.ts';
import { until } from '../../../test/support/until.ts';
import { Journal } from './journal.ts';

let folder: string;
let faulty: FaultyFiles;
giveJournalFolder((given) => ({ folder, faulty } = given));

async function open(log: Log = silentLog): Promise<Journal> {
  const journal = new Journal({ folder, installation: 'here', log, files: faulty.files });
  await journal.open();
  return journal;
}

test('a record alone that the disk refuses leaves no file, neither on the disk nor open', async () => {
  const journal = await open();
  const listFiles = (): string[] => readdirSync(folder);
  const before = listFiles();
  for (const state of ['full', 'broken'] as const) {
    faulty.state = state;
    await assert.rejects(journal.appendAlone('{"owner":"1"}'));
    assert.deepEqual([listFiles(), faulty.open], [before, 1]);
  }
  faulty.state = 'well';
  await journal.appendAlone('{"owner":"1"}');
  assert.deepEqual([listFiles().length, faulty.open], [2, 1]);
});

test('a full file whose last sync fails is closed, reported and replaced', async () => {
  const errors: string[] = [];
  const journal = await open({ ...silentLog, error: (_, message) => void errors.push(message) });
  faulty.state = 'broken';
  await journal.append('x'.repeat(4 * 2 ** 20), 'written');
  await until('it is reported', () => errors.length > 0);
  await until('it is closed', () => faulty.open === 0);
  faulty.state = 'well';
  await journal.append('{"next":1}');
  assert.deepEqual([errors, faulty.open], [['the journal cannot be written'], 1]);
});
