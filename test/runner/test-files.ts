import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CACHE } from './checks.ts';
import { type Ending, runProcess } from './processes.ts';
import { LEFT_BEHIND } from '../support/owned.ts';

/** How the tests of one process went: of one file, or of those that share a process. */
export interface FileRun {
  name: string;
  passed: boolean;
  /** What the process printed, but for its closing lines. */
  text: string;
  /** What is wrong with the process beyond its tests. */
  faults: string[];
  /** The figures of the closing lines, such as `tests` and `pass`. */
  figures: Map<string, number>;
}

interface Plan {
  directory: string;
  /** Folder of everything that the tests make. */
  temporary: string;
  /** A process that takes longer is ended; the longest takes less than a minute on two quiet cores. */
  fileLimitMs: number;
  /** Files that have not begun by then are not run. */
  endAtMs: number;
  tell(run: FileRun): void;
}

/** Rooms whose tests keep to themselves and to no process, server or global: they share one process, which starts once. */
const SHARED = /^src\/(base|catalogue|wire)\//;
/** Those that take longest come first, so that none is left alone at the end; then those of `test/`. */
const LONGEST = ['src/accounts/ledger/schedules.test.ts'];
/** Half of most tests is waiting. */
const AT_ONCE = Math.min(16, Math.max(4, 2 * availableParallelism()));
/** Ten times what the longest single test takes, and less than a file may. */
const TEST_TIMEOUT_MS = 300_000;
/** The closing lines of node's spec reporter. */
const FIGURE = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/;

/** Runs the files, several at once: those of the shared rooms in one process, every other in its own. */
export async function runTestFiles(files: readonly string[], plan: Plan): Promise<FileRun[]> {
  const shared = files.filter((file) => SHARED.test(file));
  const alone = files
    .filter((file) => !SHARED.test(file))
    .sort((a, b) => rank(b) - rank(a) || (a < b ? 1 : -1));
  const groups = alone.map((file) => [file]);
  if (shared.length > 0) groups.unshift(shared);
  const runs: FileRun[] = [];
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group; group = groups.shift()) {
      const run = performance.now() < plan.endAtMs ? await runGroup(group, plan) : createUnrun(group);
      runs.push(run);
      plan.tell(run);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return runs;
}

function rank(file: string): number {
  return LONGEST.includes(file) ? 1 : 0;
}

async function runGroup(files: readonly string[], plan: Plan): Promise<FileRun> {
  const [first = ''] = files;
  const together = SHARED.test(first) ? ['--test', '--test-isolation=none'] : [];
  // A file, because a process that is made to exit does not wait until a pipe has taken everything.
  const report = join(plan.temporary, `report-${randomUUID()}`);
  const command = [
    process.execPath,
    ...together,
    '--test-reporter=spec',
    `--test-reporter-destination=${report}`,
    '--test-force-exit', // what a failed test leaves open must not keep its process
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    ...files,
  ];
  const ending = await runProcess(command, {
    directory: plan.directory,
    environment: {
      ...process.env,
      PATH: `${plan.directory}/node_modules/.bin:${process.env['PATH'] ?? ''}`,
      NODE_COMPILE_CACHE: `${plan.directory}/${CACHE}/test`,
      TMPDIR: plan.temporary,
    },
    limitMs: plan.fileLimitMs,
  });
  const name = files.length > 1 ? `${first} and ${files.length - 1} more` : first;
  return judge(name, ending, await readFile(report, 'utf8').catch(() => ''));
}

function judge(name: string, ending: Ending, report: string): FileRun {
  const figures = new Map<string, number>();
  const lines = report.split('\n').filter((line) => {
    const [, figure = '', value] = FIGURE.exec(line) ?? [];
    if (value !== undefined) figures.set(figure, Number(value));
    return value === undefined;
  });
  const faults = findFaults(ending, figures);
  const failed = (figures.get('fail') ?? 0) + (figures.get('cancelled') ?? 0);
  if (faults.length > 0 && failed === 0) figures.set('fail', 1);
  return {
    name,
    passed: ending.code === 0 && faults.length === 0,
    text: `${ending.stdout}${lines.join('\n')}\n${ending.stderr}`.trim(),
    faults,
    figures,
  };
}

function findFaults({ code, late, stderr, tookMs }: Ending, figures: Map<string, number>): string[] {
  const left = stderr.split('\n').filter((line) => line.startsWith(LEFT_BEHIND));
  if (late) return [`it did not end within ${Math.round(tookMs / 1000)} s and was ended`, ...left];
  if (!figures.has('tests')) return [`it left with code ${String(code)} before its tests were over`, ...left];
  return left;
}

function createUnrun(files: readonly string[]): FileRun {
  return {
    name: files.join(', '),
    passed: false,
    text: '',
    faults: ['it was not run: the time for all tests is over'],
    figures: new Map([['fail', 1]]),
  };
}
