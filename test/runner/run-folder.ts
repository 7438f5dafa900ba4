import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownFolder } from '../support/owned.ts';

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm';
const LEAST_FREE_BYTES = 4 * 1024 ** 3;

/**
 * A folder for all that tests make. In memory where there is room: hundreds of database clusters are copied, synced and
 * thrown away, which costs a disk more than the tests cost a processor. A process that is killed loses nothing there either.
 */
export function createRunFolder(): string {
  const folder = mkdtempSync(join(isRoomy(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'sluice-run-'));
  chmodSync(folder, 0o755); // the embedded database runs as another user when the tests run as root
  ownFolder(folder); // memory is not to be lost with a run that is killed
  return folder;
}

function isRoomy(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return Math.min(bavail * bsize, freemem()) > LEAST_FREE_BYTES && runsPrograms(directory);
  } catch {
    return false; // this system has no such place
  }
}

/** Containers often mount it so that no program in it runs; some tests start programs that they copied. */
function runsPrograms(directory: string): boolean {
  const folder = mkdtempSync(join(directory, 'sluice-try-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(folder, { recursive: true });
  return status === 0;
}
