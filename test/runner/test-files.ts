import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE } from './checks.ts';
import { type Ending, runProcess } from './processes.ts';
import { ReportFile } from './report-file.ts';
import type { FileAnswer, FileRequest } from './run-files.ts';
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
  /** Time limit of a file; the longest takes a minute or two on two idle cores. */
  fileLimitMs: number;
  /** Time limit of a process's exit once it has run its files. */
  exitLimitMs?: number;
  /** Files that have not started by then are not run. */
  endAtMs: number;
  /** Processes at once. */
  atOnce: number;
  /** Once it aborts, no further file starts. */
  signal?: AbortSignal;
  /** Prints the results of a file or the rest of what a process has to say. */
  print(text: string): void;
}

/** Files with a browser run one after another: a start of it takes as long as most tests, and too many at once are slow. */
const BROWSERS_TOGETHER = 5;
/** A process that has grown past it runs no further file. */
const MOST_MEMORY_BYTES = 1.5 * 1024 ** 3;
/**
 * Each in a process of its own, started first: the slowest, so that none runs at the end, and those that replace the clock of
 * their process or count its objects.
 */
const ALONE = [
  'test/e2e/lifecycle.system.test.ts',
  'test/fault/crash-points.system.test.ts',
  'src/cli/machine/start.system.test.ts',
  'test/fault/matrix.system.test.ts',
  'src/accounts/ledger/schedules.test.ts',
  'src/pipeline/attempt/route/race.test.ts',
  'src/pipeline/attempt/silent-to-all.test.ts',
  'src/pipeline/path/idle-connection.test.ts',
];
/** Tests wait half of their time: two keep a processor busy, with one to spare where several wait for the clock. */
export const MOST_AT_ONCE = Math.min(16, Math.max(4, 2 * availableParallelism() + 1));
/** It stops a database server and node itself; ten times what a busy machine needs. */
const EXIT_LIMIT_MS = 120_000;
/** Ten times the longest single test, and less than the limit of a file. */
const TEST_TIMEOUT_MS = 300_000;
/** Megabytes. Collecting garbage takes a tenth of the tests' processor time; the heap of all files stays below 200 MB. */
const HEAP = ['--min-semi-space-size=32', '--max-semi-space-size=32', '--initial-old-space-size=512'];
/** How long gateways wait for their database: a machine that is slow for seconds is no outage. */
const DATABASE_WAIT_MS = '20000';
const RUN_FILES = fileURLToPath(new URL('run-files.ts', import.meta.url));

/**
 * Runs the files, several processes at once. Each process takes the next file when it has run one, because loading what
 * most tests import takes longer than most of their tests do.
 */
export async function runTestFiles(files: readonly string[], plan: Plan): Promise<FileRun[]> {
  const alone = ALONE.filter((file) => files.includes(file)).map((file) => [file]);
  const shared = arrange(files.filter((file) => !ALONE.includes(file)));
  const runs: FileRun[] = [];
  const work = async (): Promise<void> => {
    for (;;) {
      const own = alone.shift();
      const group = own ?? shared.shift();
      if (!group) return;
      const { run, again } = await runProcessOf(group, own ? [] : shared, plan);
      runs.push(run);
      if (plan.signal?.aborted === true) return;
      alone.unshift(...again.map((file) => [file]));
    }
  };
  await Promise.all(Array.from({ length: plan.atOnce }, work));
  return runs;
}

/** The slow ones first, which have the last names; a process runs all files of a group. */
function arrange(files: readonly string[]): string[][] {
  const sorted = files.toSorted((a, b) => (a < b ? 1 : -1));
  const isBrowser = (file: string): boolean => file.startsWith('web/');
  return [
    ...split(sorted.filter(isBrowser), BROWSERS_TOGETHER),
    ...sorted.filter((file) => !isBrowser(file)).map((file) => [file]),
  ];
}

function split(files: readonly string[], most: number): string[][] {
  const groups: string[][] = [];
  for (let at = 0; at < files.length; at += most) groups.push(files.slice(at, at + most));
  return groups;
}

/**
 * Runs the files of a group in a process, and then those of others until none is left or the process has grown too large. If
 * the process ends before, one of them ended it: all are to run again.
 */
async function runProcessOf(
  first: readonly string[],
  others: string[][],
  plan: Plan,
): Promise<{ run: FileRun; again: string[] }> {
  if (performance.now() >= plan.endAtMs) return { run: createUnrun(first), again: [] };
  // A file, because a process that is made to exit does not flush its pipes.
  const report = new ReportFile(join(plan.temporary, `report-${randomUUID()}`));
  const command = [
    process.execPath,
    ...HEAP,
    '--test-reporter=spec',
    `--test-reporter-destination=${report.path}`,
    '--test-force-exit', // what a failed test leaves open must not keep its process alive
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    `--import=${import.meta.resolve('./track-tests.ts')}`,
    RUN_FILES,
  ];
  const taken: string[] = [];
  const next = [...first];
  const ending = await runProcess(command, {
    directory: plan.directory,
    environment: {
      ...process.env,
      PATH: `${plan.directory}/node_modules/.bin:${process.env['PATH'] ?? ''}`,
      NODE_COMPILE_CACHE: `${plan.directory}/${CACHE}/test`,
      TMPDIR: plan.temporary,
      SLUICE_DATABASE_WAIT_MS: DATABASE_WAIT_MS,
    },
    limitMs: plan.fileLimitMs,
    exitLimitMs: plan.exitLimitMs ?? EXIT_LIMIT_MS,
    answer: (message) => {
      plan.print(report.readFinished());
      const isOver = plan.signal?.aborted === true || performance.now() >= plan.endAtMs;
      const isFull = (message as FileRequest).memoryBytes > MOST_MEMORY_BYTES;
      if (next.length === 0 && !isOver && !isFull) next.push(...(others.shift() ?? []));
      const file = next.shift();
      if (file !== undefined) taken.push(file);
      return { file } satisfies FileAnswer;
    },
  });
  const files = [...taken, ...next];
  const name = nameOf(files);
  const run = judge(name, ending, report);
  const faults = run.faults.map((fault) => `✖ ${name}: ${fault}`);
  plan.print([ending.stdout, report.readRest(), ending.stderr, ...faults].join('\n').trim());
  return { run, again: run.figures.has('tests') || files.length === 1 ? [] : files };
}

function nameOf([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

function judge(name: string, ending: Ending, report: ReportFile): FileRun {
  const figures = report.readFigures();
  const faults = findFaults(ending, figures);
  const passed = faults.length === 0 && (ending.late ? !report.hasFailures() : ending.code === 0);
  const failed = (figures.get('fail') ?? 0) + (figures.get('cancelled') ?? 0);
  if (!passed && failed === 0) figures.set('fail', 1); // such as a file that cannot be imported
  const text = [ending.stdout, report.readResults(), ending.stderr].join('\n').trim();
  return { name, passed, text, faults, figures };
}

/** A process that does not exit after its tests is no fault of theirs: node deadlocks at times (nodejs/node#54918). */
function findFaults({ code, late, stderr, tookMs }: Ending, figures: Map<string, number>): string[] {
  const left = stderr.split('\n').filter((line) => line.startsWith(LEFT_BEHIND));
  if (figures.has('tests')) return left;
  const end = late
    ? `it did not end within ${Math.round(tookMs / 1000)} s and was ended`
    : `it left with code ${String(code)} before its tests were over`;
  return [end, ...left];
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
