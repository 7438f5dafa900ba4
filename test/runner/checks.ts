import { runProcess } from './processes.ts';

/** A check beside the tests: a name and its commands in order. */
interface Check {
  name: string;
  commands: string[][];
}

/** What earlier runs left for later ones: compiled modules, the template of database clusters. */
export const CACHE = 'node_modules/.cache';

export const CHECKS: readonly Check[] = [
  {
    name: 'types, lint and formatting',
    commands: [
      ['oxlint', '--config', 'oxlint.config.js', '--deny-warnings'],
      ['node', 'test/source-rules/run.ts'],
      ['oxfmt', '--check'],
    ],
  },
];

const LIMIT_MS = 30 * 60_000;
/** The type checker of oxlint is in Go and ends with 3 GB in use: collecting its garbage takes a quarter of its time. */
const COLLECT_LATE = { GOGC: 'off', GOMEMLIMIT: '4GiB' };

/** Runs a check and prints its result; returns whether it passed. */
export async function runCheck(check: Check, directory: string): Promise<boolean> {
  const environment = {
    ...COLLECT_LATE,
    ...process.env,
    PATH: `${directory}/node_modules/.bin:${process.env['PATH'] ?? ''}`,
  };
  let [output, tookMs, passed] = ['', 0, true];
  for (const command of check.commands) {
    const ending = await runProcess(command, { directory, environment, limitMs: LIMIT_MS });
    output += ending.stdout + ending.stderr;
    tookMs += ending.tookMs;
    passed &&= ending.code === 0;
  }
  console.log(`${passed ? '✔' : '✖'} ${check.name} (${(tookMs / 1000).toFixed(1)} s)`);
  if (output.trim() !== '') console.log(output.trimEnd());
  return passed;
}
