import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRandomText } from '#base';
import { CHECKOUT, getProgram } from './built-program.ts';

/** How to start a gateway that `CRASH_AT` kills. */
interface CrashProgram {
  program: string;
  nodeOptions: string[];
}

const SOURCES = ['crash-main.ts', 'crash-at.ts', 'crash-points.ts'];

let opened: Promise<CrashProgram> | undefined;

/** The program with its crash points: built as the published one is, or the checkout where nothing is built. */
export function openCrashProgram(): Promise<CrashProgram> {
  return (opened ??= open());
}

async function open(): Promise<CrashProgram> {
  const built = await getProgram();
  if (built === CHECKOUT)
    return { program: CHECKOUT, nodeOptions: ['--import', new URL('crash-at.ts', import.meta.url).href] };
  const hash = createHash('sha256');
  for (const name of SOURCES) hash.update(readFileSync(new URL(name, import.meta.url)));
  // Beside `lib/`, where it finds the catalogue, the migrations and the dashboard.
  const folder = `${dirname(dirname(built))}/crash-${hash.digest('hex').slice(0, 12)}`;
  if (!existsSync(folder)) await build(folder);
  return { program: `${folder}/main.js`, nodeOptions: [] };
}

/** Atomic; of several concurrent ones, one is kept. */
async function build(folder: string): Promise<void> {
  const draft = `${folder}.${createRandomText(6)}`;
  const { bundle } = await import('../../build/bundle.ts'); // needs esbuild
  await bundle(fileURLToPath(new URL('../..', import.meta.url)), draft, 'test/support/crash-main.ts');
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
}
