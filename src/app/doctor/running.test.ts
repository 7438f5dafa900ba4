import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { own } from '../../../test/support/owned.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { findRunning } from './running.ts';

test('a gateway that has exited is not running, even if its parent has not reaped it', async (t) => {
  const folder = createTemporaryFolder('sluice-running-');
  t.after(() => folder.remove());
  // After `exec` the parent is a program that never waits for the child.
  const parent = own(spawn('/bin/sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], { detached: true }));
  t.after(() => parent.kill('SIGKILL'));
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  writeFileSync(join(folder.path, 'gateway.json'), JSON.stringify({ url: 'http://localhost', pid }));
  assert.equal(findRunning(folder.path)?.pid, pid);
  await until(
    'a zombie',
    () => !existsSync(`/proc/${pid}`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')),
  );
  process.kill(pid, 0);
  assert.equal(findRunning(folder.path), undefined);
});
