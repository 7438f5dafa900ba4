import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a client's file to the data directory, where no other user can write or read it; returns its path. */
export function writeClientFile(dataDir: string, name: string, text: string): string {
  const folder = join(dataDir, 'clients');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  writeFileSync(path, `${text}\n`, { mode: 0o600 });
  return path;
}
