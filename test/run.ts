import { type ChildProcess, spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

const HELP = `Usage: npm test -- [options]

Types, lint and formatting beside every test of src/ and test/.

  --only <text>   run the test files whose path contains <text>, such as a room: --only src/accounts
  --skip-lint     leave out types, lint and formatting
  --help          this text

UPDATE_GOLDEN=1 npm test -- --only golden --skip-lint   rewrites the golden files`;

/** A check beside the tests: a name and the commands it runs, one after the other. */
interface Check {
  name: string;
  commands: string[][];
}

/** What a run leaves for the next, which may be wrong about nothing: what did not change is not looked at again. */
const CACHE = 'node_modules/.cache';

const CHECKS: Check[] = [
  {
    name: 'types',
    commands: [['tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', `${CACHE}/types.json`]],
  },
  {
    name: 'lint and formatting',
    commands: [
      ['eslint', '.', '--max-warnings', '0'],
      ['prettier', '--check', '--log-level', 'warn', '--cache', '.'],
    ],
  },
];

/** The closing lines of node's spec reporter; held back so that they end the log even when failures are listed after them. */
const SUMMARY = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;
const TEST_TIMEOUT_MS = 120_000;
/** Twice the two cores of a small machine: half of most tests is waiting. */
const CONCURRENCY = 4;
/** Rooms whose tests keep to themselves and to no process, server or global: they share one process, which starts once. */
const SHARED = /^src\/(base|catalogue|wire)\//;

const root = fileURLToPath(new URL('..', import.meta.url));
const running = new Set<ChildProcess>();

function start(command: string[]): ChildProcess {
  const [file = '', ...rest] = command;
  const path = `${root}node_modules/.bin:${process.env['PATH'] ?? ''}`;
  const child = spawn(file, rest, {
    cwd: root,
    env: { ...process.env, PATH: path, NODE_COMPILE_CACHE: `${root}${CACHE}/test` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

function waitForExit(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.once('close', (code) => {
      resolve(code === 0);
    });
  });
}

async function runCheck(check: Check): Promise<boolean> {
  const startedAt = performance.now();
  let output = '';
  let passed = true;
  for (const command of check.commands) {
    const child = start(command);
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    passed = (await waitForExit(child)) && passed;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${passed ? '✔' : '✖'} ${check.name} (${seconds} s)`);
  if (output.trim() !== '') console.log(output.trimEnd());
  return passed;
}

interface TestRun {
  passed: boolean;
  summary: string[];
}

/** The files that share a process, beside the others, each in its own: the longest are those of `test/` and come first. */
async function runTests(files: string[]): Promise<TestRun> {
  const shared = files.filter((file) => SHARED.test(file));
  const alone = files.filter((file) => !SHARED.test(file)).reverse();
  const held: string[] = [];
  const runs = await Promise.all([
    runFiles(shared, ['--test-isolation=none'], (line) => void held.push(line)),
    runFiles(alone, [`--test-concurrency=${CONCURRENCY}`], (line) => console.log(line)),
  ]);
  for (const line of held) console.log(line);
  return { passed: runs.every(({ passed }) => passed), summary: runs.flatMap(({ summary }) => summary) };
}

/** Runs the files in node's own runner, telling each line as it comes but for the closing ones, which it gives back. */
async function runFiles(
  files: readonly string[],
  options: readonly string[],
  tell: (line: string) => void,
): Promise<TestRun> {
  const summary: string[] = [];
  if (files.length === 0) return { passed: true, summary };
  const child = start([
    process.execPath,
    '--test',
    ...options,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    '--test-reporter=spec',
    ...files,
  ]);
  child.stderr?.pipe(process.stderr);
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (SUMMARY.test(line)) summary.push(line);
      else tell(line);
    });
  }
  return { passed: await waitForExit(child), summary };
}

/** The closing lines of several runs as those of one, and then as one line that any reader of logs understands. */
function sumUp(summary: readonly string[]): string[] {
  const sums = new Map<string, number>();
  for (const line of summary) {
    const [, name = '', figure] = line.split(' ');
    sums.set(name, (sums.get(name) ?? 0) + Number(figure));
  }
  const count = (...names: string[]): number => names.reduce((sum, name) => sum + (sums.get(name) ?? 0), 0);
  const line = `${count('pass')} passed, ${count('fail', 'cancelled')} failed, ${count('skipped', 'todo')} skipped`;
  return [...[...sums].map(([name, sum]) => `ℹ ${name} ${sum}`), line];
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, 'skip-lint': { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const only = values.only ?? '';
  const files = globSync('{src,test}/**/*.test.ts', { cwd: root })
    .sort()
    .filter((path) => path.includes(only));
  if (files.length === 0) {
    console.error(`no test file contains “${only}” in its path`);
    return 1;
  }
  const [tests, ...checks] = await Promise.all([
    runTests(files),
    ...(values['skip-lint'] ? [] : CHECKS.map(runCheck)),
  ]);
  const failed = CHECKS.filter((_, index) => checks[index] === false);
  for (const check of failed) console.log(`✖ ${check.name} failed; see above`);
  console.log(sumUp(tests.summary).join('\n'));
  return tests.passed && failed.length === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exitCode = 1;
  });
}

process.exitCode = await main();
