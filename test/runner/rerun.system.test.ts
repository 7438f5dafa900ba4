import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTemporaryFolder } from '../support/temporary.ts';
import { rerunFailed } from './rerun.ts';
import { type FileRun, runTestFiles } from './test-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const FAILS_ONCE = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { test } from 'node:test';
  const mark = process.env.TMPDIR + '/unstable';
  test('passes the second time', () => {
    const isFirst = !existsSync(mark);
    writeFileSync(mark, '');
    if (isFirst) throw new Error('too slow');
  });`;
const FAILS = `import { test } from 'node:test'; test('fails', () => { throw new Error('wrong'); });`;
const PASSES = `import { test } from 'node:test'; test('passes', () => undefined);`;

/** Runs test files with these texts, those that fail a second time; with which of them ran again. */
async function run(texts: readonly string[]) {
  using folder = createTemporaryFolder();
  using temporary = createTemporaryFolder();
  const runAll = (files: readonly string[]): Promise<FileRun[]> =>
    runTestFiles(files, {
      directory: root,
      temporary: temporary.path,
      fileLimitMs: 300_000,
      endAtMs: Infinity,
      atOnce: 1,
      print: () => undefined,
    });
  const files = texts.map((text, at) => folder.write(`file-${at}.test.ts`, text));
  const again: string[] = [];
  const rerun = await rerunFailed(await runAll(files), async (failed) => {
    again.push(...failed.map((file) => file.replace(/^.*\//, '')));
    return await runAll(failed);
  });
  const [first] = rerun.runs;
  return { again, ...rerun, counts: [first?.figures.get('pass'), first?.figures.get('fail')] };
}

test('a file that fails at first and passes then has passed, and is reported', async () => {
  const { again, runs, unstable, counts } = await run([PASSES, FAILS_ONCE]);
  assert.deepEqual(again, ['file-1.test.ts']);
  assert.deepEqual([runs.every(({ passed }) => passed), counts], [true, [2, 0]]);
  assert.match(unstable[0]?.text ?? '', /too slow/);
});

test('a file that fails again has failed', async () => {
  const { again, runs, unstable, counts } = await run([PASSES, FAILS]);
  assert.deepEqual([again, unstable], [['file-1.test.ts'], []]);
  assert.deepEqual([runs.every(({ passed }) => passed), counts], [false, [1, 1]]);
});

test('where many files fail none runs again', async () => {
  const { again, runs } = await run([FAILS, FAILS, FAILS, FAILS]);
  assert.deepEqual([again, runs.every(({ passed }) => passed)], [[], false]);
});
