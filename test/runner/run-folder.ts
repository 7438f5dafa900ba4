import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownFolder } from '../support/owned.ts';

/** Linux's folder for files in memory. */
const IN_MEMORY = '/dev/shm';
const LEAST_FREE_BYTES = 4 * 1024 ** 3;

/**
 * A folder for all files of tests, in memory if there is room: hundreds of database clusters are copied, synced and
 * deleted, which takes longer on a disk than the tests themselves. A killed process loses nothing there either.
 */
export function createRunFolder(): string {
  const folder = mkdtempSync(join(isRoomy(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'sluice-run-'));
  chmodSync(folder, 0o755); // the embedded database runs as another user when the tests run as root
  ownFolder(folder); // a killed run must not leak memory
  return folder;
}

function isRoomy(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return Math.min(bavail * bsize, freemem()) > LEAST_FREE_BYTES && runsPrograms(directory);
  } catch {
    return false; // this system has no such folder
  }
}

/** Containers often mount it noexec; some tests run programs that they copied. */
function runsPrograms(directory: string): boolean {
  const folder = mkdtempSync(join(directory, 'sluice-try-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(folder, { recursive: true });
  return status === 0;
}
