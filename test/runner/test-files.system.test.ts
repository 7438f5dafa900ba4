import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTemporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { endProcessesOn } from './processes.ts';
import { type FileRun, runTestFiles } from './test-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const support = (name: string): string => JSON.stringify(`${root}/test/support/${name}.ts`);
const START_GATEWAY = `
  import { test } from 'node:test';
  import { own } from ${support('owned')};
  import { spawn } from 'node:child_process';
  const child = own(spawn('sleep', ['1000'], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] }));
  console.log('started ' + child.pid);`;
/** Runs test files with these texts, those with the last names first, in one process as long as it lives. */
async function run(
  texts: Record<string, string>,
  { limitMs = 300_000, totalMs = 600_000, exitLimitMs = 120_000 } = {},
): Promise<FileRun[]> {
  using folder = createTemporaryFolder();
  using temporary = createTemporaryFolder();
  const files = Object.entries(texts).map(([name, text]) => folder.write(`${name}.test.ts`, text));
  return await runTestFiles(files, {
    directory: root,
    temporary: temporary.path,
    fileLimitMs: limitMs,
    exitLimitMs,
    endAtMs: performance.now() + totalMs,
    atOnce: 1,
    print: () => undefined,
  });
}

function find(runs: readonly FileRun[], name: string): FileRun {
  const [file, ...more] = name.split(' ');
  const found = runs.find((run) => run.name.endsWith(`/${[`${file}.test.ts`, ...more].join(' ')}`));
  assert.ok(found, `no run of ${name}`);
  return found;
}

async function assertGone({ text }: Pick<FileRun, 'text'>): Promise<void> {
  const [, pid] = /^started (\d+)$/m.exec(text) ?? [];
  assert.ok(pid !== undefined, text);
  await until(`process ${pid} is gone`, () => {
    try {
      process.kill(Number(pid), 0);
      return false;
    } catch {
      return true;
    }
  });
}

/** They wait for processes. */
describe('the runner of test files', { concurrency: true }, () => {
  /** The test waits this long for a file that hangs. */
  let limitMs = 0;
  before(async () => {
    const startedMs = performance.now();
    await run({ idle: '' });
    limitMs = 10 * (performance.now() - startedMs);
  });

  test('a file that hangs is ended with what it started, has failed, and the others run', async () => {
    const runs = await run(
      {
        hangs: `${START_GATEWAY}
        test('waits for ever', () => new Promise(() => setInterval(() => undefined, 1000)));`,
        passes: `import { test } from 'node:test'; test('passes', () => undefined);`,
      },
      { limitMs },
    );
    const [together, passes, hangs] = ['passes and 1 more', 'passes', 'hangs'].map((name) =>
      find(runs, name),
    );
    for (const hung of [together, hangs]) {
      assert.ok(hung);
      assert.equal(hung.passed, false);
      assert.match(hung.faults[0] ?? '', /^it did not end within \d+ s and was ended$/);
      assert.equal(hung.figures.get('fail'), 1);
      await assertGone(hung);
    }
    assert.deepEqual([passes?.passed, passes?.figures.get('pass')], [true, 1]);
  });

  test('a process that does not exit after its tests is ended, and its tests count', async () => {
    const hang = `process.on('exit', () => { for (;;); });`;
    const texts = {
      passes: `import { test } from 'node:test'; ${hang} test('passes', () => undefined);`,
      fails: `import { test } from 'node:test'; ${hang} test('fails', () => { throw new Error('as it should'); });`,
    };
    for (const [name, text] of Object.entries(texts)) {
      const [one, ...more] = await run({ [name]: text }, { exitLimitMs: 1_000 });
      assert.deepEqual([one?.passed, one?.figures.get('tests'), more], [name === 'passes', 1, []]);
    }
  });

  test('a process left by a failed test is ended and reported, and does not delay the file', async () => {
    const texts = {
      fails: `${START_GATEWAY}
      test('fails', () => { throw new Error('as it should'); });`,
      leaves: `${START_GATEWAY}
      test('passes', () => undefined);`,
    };
    for (const [name, text] of Object.entries(texts)) {
      const [one] = await run({ [name]: text });
      assert.ok(one);
      assert.equal(one.passed, false);
      assert.match(one.faults.join('\n'), /^left behind: process \d+, sleep 1000$/);
      assert.equal(one.figures.get('fail'), 1);
      await assertGone(one);
    }
  });

  test('a file whose process is killed leaves neither a process, nor a database server, nor a folder', async () => {
    const [killed] = await run({
      killed: `${START_GATEWAY}
      import { createTestServers } from ${support('embedded-server')};
      test('dies', async () => {
        const servers = createTestServers();
        await servers.start(servers.folder + '/data');
        console.log('folder ' + servers.folder);
        process.kill(process.pid, 'SIGKILL');
      });`,
    });
    assert.ok(killed);
    assert.equal(killed.passed, false);
    assert.match(
      killed.faults.join('\n'),
      /before its tests were over\nleft behind: .*sleep 1000\nleft behind: .*postgres/,
    );
    await assertGone(killed);
    const [, folder = ''] = /^folder (.+)$/m.exec(killed.text) ?? [];
    assert.notEqual(folder, '');
    assert.deepEqual(endProcessesOn(folder), []);
    assert.ok(!existsSync(folder));
  });

  test('leftover processes are ended even if the runner’s output is no longer read', async () => {
    const program = `import { own } from ${support('owned')};
    import { spawn } from 'node:child_process';
    const child = own(spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }));
    console.log('started ' + child.pid);
    setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [text] = (await once(parent.stdout, 'data')) as [Buffer];
    parent.stderr.destroy();
    parent.kill('SIGKILL');
    await assertGone({ text: text.toString().trim() });
  });

  test('a file that ends before its tests is no success, nor is one that was not run', async () => {
    const [ended] = await run({
      ends: `import { test } from 'node:test'; test('a', () => process.exit(0));`,
    });
    assert.deepEqual(
      [ended?.passed, ended?.faults],
      [false, ['it left with code 0 before its tests were over']],
    );
    const [unrun] = await run({ late: 'throw new Error("not to be run")' }, { totalMs: -1 });
    assert.deepEqual([unrun?.passed, unrun?.text, unrun?.figures.get('fail')], [false, '', 1]);
  });

  test('a run that is interrupted does not run the files of an ended process again', async () => {
    using folder = createTemporaryFolder();
    const interrupted = new AbortController();
    const texts = ['a', 'b'].map((name) =>
      folder.write(`${name}.test.ts`, name === 'a' ? 'process.exit(1);' : ''),
    );
    const runs = await runTestFiles(texts, {
      directory: root,
      temporary: folder.path,
      fileLimitMs: 300_000,
      endAtMs: performance.now() + 600_000,
      atOnce: 1,
      signal: interrupted.signal,
      print: (text) => {
        if (text.includes('b.test.ts')) interrupted.abort(); // the process has ended
      },
    });
    assert.deepEqual(
      runs.map(({ passed, name }) => [passed, name.replace(/^.*\//, '')]),
      [[false, 'b.test.ts and 1 more']],
    );
  });

  test('files that share a process keep their hooks to themselves, and one that cannot be imported fails', async () => {
    const text = (name: string): string => `import { before, after, test } from 'node:test';
    before(() => console.log('before ${name}'));
    after(() => console.log('after ${name}'));
    test('one', () => console.log('one ${name}'));`;
    const [shared, ...others] = await run({ c: text('c'), b: `import './missing.ts';`, a: text('a') });
    assert.ok(shared);
    assert.deepEqual(others, []);
    const said = shared.text.split('\n').filter((line) => /^(before|one|after) .$/.test(line));
    assert.deepEqual(said, ['before c', 'one c', 'after c', 'before a', 'one a', 'after a']);
    const figures = ['pass', 'fail'].map((name) => shared.figures.get(name));
    assert.deepEqual([shared.passed, ...figures], [false, 2, 1]);
  });

  test('an error thrown or rejected outside of a test’s promise fails the test it belongs to, wherever it waited', async () => {
    const [together] = await run({
      throws: `import { describe, test } from 'node:test';
      import { setTimeout as sleep } from 'node:timers/promises';
      describe('suite', { concurrency: true }, () => {
        test('throws', async (t) => {
          await sleep(1);
          setTimeout(() => { throw new Error('thrown'); }, 1);
          await sleep(10_000, undefined, { signal: t.signal });
        });
        test('rejects', async (t) => {
          await sleep(1);
          void sleep(1).then(() => Promise.reject(new Error('rejected')));
          await sleep(10_000, undefined, { signal: t.signal });
        });
        test('passes', async (t) => {
          await sleep(50);
          await t.test('part', () => sleep(1));
        });
      });`,
    });
    assert.ok(together);
    const results = [...together.text.matchAll(/^ +([✔✖]) (throws|rejects|passes|part)/gm)].map(
      ([, mark, name]) => `${mark} ${name}`,
    );
    assert.deepEqual(new Set(results), new Set(['✖ throws', '✖ rejects', '✔ part', '✔ passes']));
    assert.match(together.text, /thrown/);
    assert.match(together.text, /rejected/);
  });

  test('processes that run on a folder are found by their command lines and ended', async () => {
    using folder = createTemporaryFolder();
    const child = spawn('tail', ['-f', folder.write('empty', '')], { stdio: 'ignore' });
    const gone = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    assert.equal(endProcessesOn(folder.path).length, 1);
    assert.equal(await gone, 'SIGKILL');
    assert.deepEqual(endProcessesOn(folder.path), []);
  });
});
