import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRandomText } from '#base';
import { listFiles } from './source-tree.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const CACHE = join(root, 'node_modules/.cache');
/** What the built package depends on. */
const FOLDERS = ['src', 'build', 'catalogue'];
const FILES = ['package.json', 'package-lock.json'];
/** Earlier programs are kept for so long: gateways of a long run may still start them. */
const KEPT_MS = 24 * 60 * 60_000;
/** A build that takes longer was killed. */
const BUILD_MS = 120_000;
const POLL_MS = 50;

let program: Promise<string> | undefined;

/** The program of a checkout, which needs no build. */
export const CHECKOUT = join(root, 'src/main.ts');

/**
 * The program of the published package, built once for these sources: it starts with half the processor time that the
 * checkout takes, and tests start dozens of gateways. `SLUICE_TEST_PROGRAM` names another, such as the checkout's where
 * coverage is measured or each run has other sources.
 */
export function getProgram(): Promise<string> {
  const named = process.env['SLUICE_TEST_PROGRAM'];
  return named === undefined ? (program ??= openProgram()) : Promise.resolve(resolve(root, named));
}

async function openProgram(): Promise<string> {
  if (!canBuild()) return CHECKOUT;
  const folder = join(CACHE, `program-${hashSources()}`);
  const main = join(folder, 'lib/main.js');
  if (existsSync(main)) return main;
  mkdirSync(CACHE, { recursive: true });
  const lock = `${folder}.building`;
  if (!lockFor(lock)) {
    while (!existsSync(main) && !isOld(lock, BUILD_MS)) await sleep(POLL_MS);
    if (existsSync(main)) return main;
  }
  try {
    await build(folder);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  return main;
}

/** Packages that were installed before the build needed esbuild still run the tests. */
function canBuild(): boolean {
  try {
    import.meta.resolve('esbuild');
    return true;
  } catch {
    return false;
  }
}

/** Atomic, so that an unfinished program is never started; of several concurrent ones, one is kept. */
async function build(folder: string): Promise<void> {
  for (const name of readdirSync(CACHE).filter((one) => one.startsWith('program-')))
    if (isOld(join(CACHE, name), KEPT_MS)) rmSync(join(CACHE, name), { recursive: true, force: true });
  const draft = `${folder}.${createRandomText(6)}`;
  await promisify(execFile)(process.execPath, ['build/build.ts', draft], { cwd: root });
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
}

function hashSources(): string {
  const hash = createHash('sha256');
  const listed = FOLDERS.flatMap((folder) => listFiles(root, folder));
  for (const path of [...FILES, ...listed.filter((one) => !one.endsWith('.test.ts'))])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex').slice(0, 12);
}

function lockFor(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether it was written longer ago, or is gone. */
function isOld(path: string, ms: number): boolean {
  const written = statSync(path, { throwIfNoEntry: false });
  return written === undefined || performance.timeOrigin + performance.now() - written.mtimeMs > ms;
}
