import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { own } from '../support/owned.ts';
import { createEnvironment } from '../support/process-environment.ts';
import { seedCluster } from '../support/seed-cluster.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('npm start ends the gateway when npm is stopped, although a shell is between them', async () => {
  using folder = createTemporaryFolder();
  const data = join(folder.path, 'data');
  await seedCluster(data);
  const args = [
    'start',
    '--silent',
    '--script-shell=/bin/sh',
    '--',
    '--json',
    '--port',
    '0',
    '--data-dir',
    data,
  ];
  const npm = own(
    spawn('npm', args, {
      cwd: root,
      detached: true,
      env: createEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const [line] = (await once(createInterface({ input: npm.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  npm.kill('SIGTERM');
  await once(npm, 'exit');
  const refuses = (): Promise<boolean> =>
    fetch(`${url}/livez`).then(
      () => false,
      () => true,
    );
  await until('the gateway refuses connections', refuses);
});
