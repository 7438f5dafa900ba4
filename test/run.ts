import { globSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { buildDashboard } from './runner/build-dashboard.ts';
import { CHECKS, runCheck } from './runner/checks.ts';
import { endAll, endProcessesOn } from './runner/processes.ts';
import { SUITE } from './runner/report-file.ts';
import { createRunFolder } from './runner/run-folder.ts';
import { rerunFailed } from './runner/rerun.ts';
import { type FileRun, MOST_AT_ONCE, runTestFiles } from './runner/test-files.ts';

const HELP = `Usage: npm test -- [options]

Types, lint and formatting beside the tests of src/, test/ and web/.

  --all           the system tests too (*.system.test.ts): of the dashboard in a browser, with coding agents, of the
                  package, and of gateways in processes of their own; and random tests at full length, as with --only;
                  npm run test:all
  --only <text>   run only the test files whose path contains <text>, such as a room: --only src/accounts;
                  may be repeated; types, lint and formatting are left out then
  --lint          types, lint and formatting of everything, with --only too
  --skip-lint     leave out types, lint and formatting
  --rerun         run up to three files with failed tests again at the end, with nothing beside them; if all of them pass
                  then, what failed is printed, and the tests have passed
  --help          this text

Files share processes; one that takes longer than TEST_FILE_LIMIT_S seconds (2,400) is ended with all it started, and
each of its files runs again alone.

UPDATE_GOLDEN=1 npm test -- --only golden   rewrites the golden files`;

/** Ten times what all the tests take on two quiet cores. */
const TOTAL_LIMIT_MS = 120 * 60_000;

const MOST_SLOWEST = 10;
const SYSTEM_TEST = /\.system\.test\.ts$/;

const interrupted = new AbortController();
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

function print(text: string): void {
  if (text !== '') console.log(text);
}

/** What failed once more, where it is found: below thousands of lines. */
function reportFailures(runs: readonly FileRun[], how = ''): void {
  for (const { name, text, faults } of runs) {
    console.log(`\n✖ ${name}${how}`);
    for (const fault of faults) console.log(`  ${fault}`);
    const [, failing] = text.split(/^✖ failing tests:$/m);
    if (failing !== undefined) console.log(failing.trim());
  }
}

/** The files that took longest, because a slow one is easily added. */
function listSlowest(runs: readonly FileRun[]): string[] {
  const taken = runs.flatMap(({ text }) =>
    [...text.matchAll(SUITE)].map(([, file = '', ms]) => ({ file, seconds: Number(ms) / 1000 })),
  );
  const slowest = taken.toSorted((a, b) => b.seconds - a.seconds).slice(0, MOST_SLOWEST);
  return slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${file}`);
}

/** The closing lines of several runs as those of one, and then as one line that any reader of logs understands. */
function sumUp(runs: readonly FileRun[], startedAtMs: number): string {
  const sums = new Map<string, number>();
  for (const { figures } of runs) {
    for (const [name, figure] of figures) sums.set(name, (sums.get(name) ?? 0) + figure);
  }
  const count = (...names: string[]): number => names.reduce((sum, name) => sum + (sums.get(name) ?? 0), 0);
  const line = `${count('pass')} passed, ${count('fail', 'cancelled')} failed, ${count('skipped', 'todo')} skipped`;
  sums.set('duration_ms', Math.round(performance.now() - startedAtMs));
  return [...[...sums].map(([name, sum]) => `ℹ ${name} ${sum}`), line].join('\n');
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      all: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      lint: { type: 'boolean' },
      'skip-lint': { type: 'boolean' },
      rerun: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const all = globSync('{src,test,web/test}/**/*.test.ts', { cwd: root });
  const unmatched = values.only?.find((text) => !all.some((path) => path.includes(text)));
  if (unmatched !== undefined) {
    console.error(`no test file contains “${unmatched}” in its path`);
    return 1;
  }
  const files = all.filter((path) =>
    values.only === undefined
      ? values.all === true || !SYSTEM_TEST.test(path)
      : values.only.some((text) => path.includes(text)),
  );
  const isChecked = values.lint ?? (values.only === undefined && values['skip-lint'] !== true);
  if (values.all !== true && values.only === undefined) process.env['TEST_REPETITIONS'] ??= 'few';
  const startedAtMs = performance.now();
  const temporary = createRunFolder();
  if (files.some((file) => file.startsWith('web/'))) await buildDashboard(root);
  const run = (some: readonly string[], atOnce: number): Promise<FileRun[]> =>
    runTestFiles(some, {
      directory: root,
      temporary,
      fileLimitMs: Number(process.env['TEST_FILE_LIMIT_S'] ?? 2_400) * 1_000,
      endAtMs: startedAtMs + TOTAL_LIMIT_MS,
      atOnce,
      signal: interrupted.signal,
      print,
    });
  const [first, ...checks] = await Promise.all([
    run(files, MOST_AT_ONCE),
    ...(isChecked ? CHECKS.map((check) => runCheck(check, root)) : []),
  ]);
  const { runs, unstable } =
    values.rerun && !interrupted.signal.aborted
      ? await rerunFailed(first, (failed) => run(failed, 1))
      : { runs: first, unstable: [] };
  const left = endProcessesOn(temporary); // processes still running there were not ended
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const failed = CHECKS.filter((_, index) => checks[index] === false);
  reportFailures(unstable, ' failed at first, and passed when it ran again');
  reportFailures(runs.filter(({ passed }) => !passed));
  for (const check of failed) console.log(`✖ ${check.name} failed; see above`);
  for (const line of left) console.log(`✖ left running by the tests, and ended: ${line}`);
  if (values.only === undefined) console.log(`slowest files:\n${listSlowest(runs).join('\n')}`);
  console.log(sumUp(runs, startedAtMs));
  return left.length === 0 && failed.length === 0 && runs.every(({ passed }) => passed) ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted.abort();
    endAll(signal);
  });
}

process.exitCode = await main();
