import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { silentLog } from '#telemetry';
import type { FaultyFiles } from '../../../test/support/faulty-files.ts';
import { giveJournalFolder, pathOfOnly } from '../../../test/support/journal-folder.ts';
import { inspectJournal } from './inspect-journal.ts';
import { Journal } from './journal.ts';

let folder: string;
let faulty: FaultyFiles;
giveJournalFolder((given) => ({ folder, faulty } = given));

/** A process that starts with the folder; those before were killed. */
async function open(): Promise<Journal> {
  const journal = new Journal({ folder, installation: 'here', log: silentLog, files: faulty.files });
  await journal.open();
  return journal;
}

const listFiles = (): string[] => readdirSync(folder);

test('a damaged record does not affect the others, and its file is kept', async () => {
  const journal = await open();
  for (const text of ['one', 'two', 'three']) await journal.append(text);
  const bytes = readFileSync(pathOfOnly(folder));
  bytes[bytes.indexOf('two')] = 0x58;
  writeFileSync(pathOfOnly(folder), bytes);
  assert.equal((await inspectJournal(folder)).damaged, 1);
  const next = await open();
  const left = next.takeLeftovers();
  assert.deepEqual(
    left.map(({ text, isBesideDamage }) => [text, isBesideDamage]),
    [
      ['one', true],
      ['three', true],
    ],
  );
  for (const { confirm } of left) confirm();
  await next.close();
  assert.match(listFiles().join(), /\.journal\.damaged$/);
});

test('a file of which no record is left but damaged ones is kept, and what is beside it shows that', async () => {
  const journal = await open();
  await journal.append('one');
  const second = await journal.append('two');
  second.confirm();
  await journal.close(); // marks it
  const path = pathOfOnly(folder);
  const bytes = readFileSync(path);
  bytes[bytes.indexOf('one')] = 0x58;
  rmSync(path);
  await (await open()).append('beside');
  writeFileSync(path, bytes);
  const left = (await open()).takeLeftovers();
  assert.deepEqual(
    left.map(({ text, isBesideDamage }) => [text, isBesideDamage]),
    [['beside', true]],
  );
  assert.equal(listFiles().filter((name) => name.endsWith('.journal.damaged')).length, 1);
  assert.deepEqual(
    (await open()).takeLeftovers().map(({ isBesideDamage }) => isBesideDamage),
    [false],
    'the damage is shown once',
  );
});
