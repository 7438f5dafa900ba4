import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CACHE } from './checks.ts';
import { type Ending, runProcess } from './processes.ts';
import { LEFT_BEHIND } from '../support/owned.ts';

/** The results of the tests of one process: of one file, or of those that share a process. */
export interface FileRun {
  name: string;
  passed: boolean;
  /** The process's output without its closing lines. */
  text: string;
  /** Faults of the process beyond its tests. */
  faults: string[];
  /** The figures of the closing lines, such as `tests` and `pass`. */
  figures: Map<string, number>;
}

interface Plan {
  directory: string;
  /** Folder of all files the tests create. */
  temporary: string;
  /** Time limit of a process; the longest takes less than a minute on two idle cores. */
  fileLimitMs: number;
  /** Files that have not started by then are not run. */
  endAtMs: number;
  tell(run: FileRun): void;
}

/** Rooms whose tests use no process, server or global state: they share one process. */
const SHARED = /^src\/(base|catalogue|wire)\//;
/** The slowest files start first, so that none runs alone at the end; then those of `test/`. */
const LONGEST = ['src/accounts/ledger/schedules.test.ts'];
/** Most tests spend half their time waiting. */
const AT_ONCE = Math.min(16, Math.max(4, 2 * availableParallelism()));
/** Ten times the longest single test, and less than the limit of a file. */
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
  // A file, because a process that is made to exit does not flush its pipes.
  const report = join(plan.temporary, `report-${randomUUID()}`);
  const command = [
    process.execPath,
    ...together,
    '--test-reporter=spec',
    `--test-reporter-destination=${report}`,
    '--test-force-exit', // what a failed test leaves open must not keep its process alive
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
