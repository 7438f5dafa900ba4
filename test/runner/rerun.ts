import type { FileRun } from './test-files.ts';
import { SUITE } from './report-file.ts';

/** Where more files fail, something is broken. */
const MOST_RERUN = 3;

interface Rerun {
  /** All runs; of those that passed at last, the failed tests count as passed. */
  runs: FileRun[];
  /** Those that failed at first and passed when their failed files ran again. */
  unstable: FileRun[];
}

/** Runs files with failed tests again, if they are few: on a busy machine a test may fail that is right. */
export async function rerunFailed(
  runs: readonly FileRun[],
  run: (files: string[]) => Promise<FileRun[]>,
): Promise<Rerun> {
  const failed = runs.filter(({ passed }) => !passed);
  const files = failed.map(listFailedFiles);
  const all = [...new Set(files.flat())];
  const isBroken = failed.some(({ faults }, at) => faults.length > 0 || files[at]?.length === 0);
  if (all.length === 0 || all.length > MOST_RERUN || isBroken) return { runs: [...runs], unstable: [] };
  const again = await run(all);
  if (!again.every(({ passed }) => passed)) return { runs: [...runs], unstable: [] };
  return { runs: runs.map((one) => (one.passed ? one : countAsPassed(one))), unstable: failed };
}

function listFailedFiles({ text }: FileRun): string[] {
  return [...text.matchAll(SUITE)].flatMap(([line, file = '']) => (line.startsWith('✖') ? [file] : []));
}

function countAsPassed(run: FileRun): FileRun {
  const figures = new Map(run.figures);
  for (const kind of ['fail', 'cancelled']) {
    figures.set('pass', (figures.get('pass') ?? 0) + (figures.get(kind) ?? 0));
    figures.set(kind, 0);
  }
  return { ...run, passed: true, figures };
}
