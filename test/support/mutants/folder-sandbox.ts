import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '../../runner/processes.ts';
import type { Sandbox } from './sandbox.ts';

/** A sandbox of a few files instead of a copy of the checkout. */
export function createFolderSandbox(path: string): Sandbox {
  return {
    path,
    temporary: path,
    read: (file) => readFileSync(join(path, file), 'utf8'),
    write: (file, text) => writeFileSync(join(path, file), text),
    run: (file, { limitMs, environment, options = [], args = [] }) =>
      runProcess([process.execPath, ...options, file, ...args], {
        directory: path,
        environment: { ...process.env, ...environment },
        limitMs,
      }),
    [Symbol.dispose]: () => undefined,
  };
}
