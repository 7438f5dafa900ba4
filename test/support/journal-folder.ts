import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { type FaultyFiles, createFaultyFiles } from './faulty-files.ts';
import { type TemporaryFolder, createTemporaryFolder } from './temporary.ts';

/** Gives each test of a file the folder of a journal, and its files with faults to inject. */
export function giveJournalFolder(take: (given: { folder: string; faulty: FaultyFiles }) => void): void {
  let temporary: TemporaryFolder;
  let faulty: FaultyFiles;
  beforeEach(() => {
    temporary = createTemporaryFolder();
    const folder = join(temporary.path, 'journal');
    faulty = createFaultyFiles(folder);
    take({ folder, faulty });
  });
  afterEach(async () => {
    await faulty.closeAll();
    temporary.remove();
  });
}

/** The path of the only file of a folder. */
export function pathOfOnly(folder: string): string {
  const [name, ...others] = readdirSync(folder);
  assert.ok(name !== undefined && others.length === 0, `one file: ${readdirSync(folder).join(', ')}`);
  return join(folder, name);
}
