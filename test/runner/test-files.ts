import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE } from './checks.ts';
import { type Ending, runProcess } from './processes.ts';
import { LEFT_BEHIND } from '../support/owned.ts';

/** The results of the tests of one process. */
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
  /** Time limit of a process; the longest takes a minute or two on two idle cores. */
  fileLimitMs: number;
  /** Files that have not started by then are not run. */
  endAtMs: number;
  /** Once it aborts, no further file starts. */
  signal?: AbortSignal;
  report(run: FileRun): void;
}

/** Loading what most tests import takes longer than most of their tests do: files share a process. */
const TOGETHER = 24;
/** Files with a browser take as long as all others of a process together. */
const BROWSERS_TOGETHER = 5;
/**
 * Each in a process of its own, started first: the slowest, so that none runs at the end, and one that replaces the clock of
 * its process.
 */
const ALONE = [
  'test/e2e/lifecycle.test.ts',
  'test/fault/crash-points.test.ts',
  'src/cli/machine/start.test.ts',
  'test/fault/matrix.test.ts',
  'src/accounts/ledger/schedules.test.ts',
  'src/pipeline/attempt/race.test.ts',
];
/** Tests spend more than half of their time waiting; with more at once PostgreSQL and pages get slow. */
const AT_ONCE = Math.min(16, Math.max(4, Math.round(2.5 * availableParallelism())));
/** Ten times the longest single test, and less than the limit of a file. */
const TEST_TIMEOUT_MS = 300_000;
const RUN_FILES = fileURLToPath(new URL('run-files.ts', import.meta.url));
/** The closing lines of node's spec reporter. */
const FIGURE = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/;

/** Runs the files, several processes at once, in each some files one after another. */
export async function runTestFiles(files: readonly string[], plan: Plan): Promise<FileRun[]> {
  const groups = arrange(files);
  const runs: FileRun[] = [];
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group; group = groups.shift()) {
      const { run, isWhole } = await runGroup(group, plan);
      runs.push(run);
      plan.report(run);
      if (plan.signal?.aborted === true) return;
      // One of them ended the process: the others are still to run.
      if (!isWhole && group.length > 1) groups.unshift(...group.map((file) => [file]));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return runs;
}

function arrange(files: readonly string[]): string[][] {
  const groups = ALONE.filter((file) => files.includes(file)).map((file) => [file]);
  const others = files.filter((file) => !ALONE.includes(file)).sort((a, b) => (a < b ? 1 : -1));
  const isBrowser = (file: string): boolean => file.startsWith('web/');
  return [
    ...groups,
    ...split(others.filter(isBrowser), BROWSERS_TOGETHER),
    ...split(
      others.filter((file) => !isBrowser(file)),
      TOGETHER,
    ),
  ];
}

function split(files: readonly string[], most: number): string[][] {
  const groups: string[][] = [];
  for (let at = 0; at < files.length; at += most) groups.push(files.slice(at, at + most));
  return groups;
}

async function runGroup(files: readonly string[], plan: Plan): Promise<{ run: FileRun; isWhole: boolean }> {
  if (performance.now() >= plan.endAtMs) return { run: createUnrun(files), isWhole: true };
  // A file, because a process that is made to exit does not flush its pipes.
  const report = join(plan.temporary, `report-${randomUUID()}`);
  const command = [
    process.execPath,
    '--min-semi-space-size=16', // megabytes; collecting what a test drops takes a tenth of its processor time
    '--test-reporter=spec',
    `--test-reporter-destination=${report}`,
    '--test-force-exit', // what a failed test leaves open must not keep its process alive
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    RUN_FILES,
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
  const [first = ''] = files;
  const name = files.length > 1 ? `${first} and ${files.length - 1} more` : first;
  const run = judge(name, ending, await readFile(report, 'utf8').catch(() => ''));
  return { run, isWhole: !ending.late && run.figures.has('tests') };
}

function judge(name: string, ending: Ending, report: string): FileRun {
  const figures = new Map<string, number>();
  const lines = report.split('\n').filter((line) => {
    const [, figure = '', value] = FIGURE.exec(line) ?? [];
    if (value !== undefined) figures.set(figure, Number(value));
    return value === undefined;
  });
  const faults = findFaults(ending, figures);
  const passed = ending.code === 0 && faults.length === 0;
  const failed = (figures.get('fail') ?? 0) + (figures.get('cancelled') ?? 0);
  if (!passed && failed === 0) figures.set('fail', 1); // such as a file that cannot be imported
  return {
    name,
    passed,
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
