import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
