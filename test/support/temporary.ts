import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownFolder } from './owned.ts';

/** A folder of a test's own, gone when it is disposed of, or with its process. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
  /** Writes a file below the folder and gives its path. */
  write(name: string, text: string): string;
  remove(): void;
}

/** Readable by every user, because the embedded database runs as another one when the tests run as root. */
export function createTemporaryFolder(prefix = 'sluice-test-'): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(path, 0o755);
  const owned = ownFolder(path);
  const remove = () => {
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    owned.release();
  };
  return {
    path,
    write(name, text) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    remove,
    [Symbol.dispose]: remove,
  };
}
