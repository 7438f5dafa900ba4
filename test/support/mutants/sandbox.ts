import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ending, runProcess } from '../../runner/processes.ts';
import { createRunFolder } from '../../runner/run-folder.ts';
import { createTemporaryFolder } from '../temporary.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** A copy of the checkout, in which files may be damaged. */
export interface Sandbox extends Disposable {
  readonly path: string;
  read(file: string): string;
  write(file: string, text: string): void;
  /** The temporary folder of its tests. */
  readonly temporary: string;
  /** Runs one test file to its end. */
  run(file: string, options: RunOptions): Promise<Ending>;
}

interface RunOptions {
  limitMs: number;
  environment?: NodeJS.ProcessEnv;
  /** Of node; by default those that report to people. */
  options?: readonly string[];
  args?: readonly string[];
}

const REPORT = ['--test-reporter=spec'];

export function createSandbox(): Sandbox {
  const folder = createTemporaryFolder('sluice-mutants-');
  const path = join(folder.path, 'checkout');
  copyCheckout(path);
  const temporary = createRunFolder();
  const environment = {
    ...process.env,
    PATH: `${path}/node_modules/.bin:${process.env['PATH'] ?? ''}`,
    TMPDIR: temporary,
    NODE_COMPILE_CACHE: join(folder.path, 'compiled'),
    SLUICE_TEST_PROGRAM: 'src/main.ts', // whose coverage is measured; a build for each mutant would take longer
  };
  return {
    path,
    read: (file) => readFileSync(join(path, file), 'utf8'),
    write: (file, text) => writeFileSync(join(path, file), text),
    temporary,
    run: (file, { limitMs, environment: extra, options = REPORT, args = [] }) =>
      runProcess([process.execPath, ...options, '--test-force-exit', file, ...args], {
        directory: path,
        environment: { ...environment, ...extra },
        limitMs,
      }),
    [Symbol.dispose]: () => {
      folder.remove();
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** All tracked and untracked files, with the dependencies and recordings next to the checkout. */
function copyCheckout(path: string): void {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    cpSync(join(root, file), join(path, file));
  }
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  const beside = join(root, '../shared');
  if (existsSync(beside)) symlinkSync(beside, join(path, '../shared'));
}
