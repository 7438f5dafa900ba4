import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Reports the address of every module that is loaded. */
const TELL = `import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => { console.error(url); return next(url, context); } });`;

test('a local command does not load the server or the HTTP client', () => {
  const hook = `data:text/javascript,${encodeURIComponent(TELL)}`;
  const { stderr } = spawnSync(process.execPath, ['--import', hook, 'src/main.ts', 'version'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.match(stderr, /src\/app\/index\.ts/);
  const rooms = new Set(
    [...stderr.matchAll(/\/src\/([^/]+)\/|\/node_modules\/(undici)\//g)].map((found) => found[1] ?? found[2]),
  );
  for (const room of ['http', 'pipeline', 'wire', 'media', 'providers', 'videos', 'undici'])
    assert.ok(!rooms.has(room), room);
});

const skip = existsSync('/dev/full') ? false : 'there is no /dev/full here';

test('output that cannot be written fails the command, unless its reader has left', { skip }, () => {
  const stdout = openSync('/dev/full', 'w');
  const full = spawnSync(process.execPath, ['src/main.ts', 'version'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', stdout, 'pipe'],
  });
  closeSync(stdout);
  assert.equal(full.status, 1);
  assert.match(full.stderr, /^error: the output could not be written: ENOSPC/);
  const left = `"${process.execPath}" src/main.ts help | true; exit "\${PIPESTATUS[0]}"`;
  const closed = spawnSync('bash', ['-c', left], { cwd: root, encoding: 'utf8' });
  assert.deepEqual([closed.status, closed.stderr], [0, '']);
});
