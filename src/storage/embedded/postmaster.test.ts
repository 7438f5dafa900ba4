import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';

const folder = createTemporaryFolder('sluice-postmaster-');
const MODULE = new URL('postmaster.ts', import.meta.url).href;

after(() => folder.remove());

/** What a process finds out that has no file descriptor left; `cluster` and `pid` are its variables. */
function askWithoutDescriptors(expression: string, cluster: string): string {
  const script = `
    import { openSync } from 'node:fs';
    import * as postmaster from ${JSON.stringify(MODULE)};
    const cluster = ${JSON.stringify(cluster)};
    const pid = ${process.pid};
    process.stdout.write(''); // opens it
    try {
      for (;;) openSync('/dev/null');
    } catch {}
    let answer;
    try {
      answer = String(${expression});
    } catch (error) {
      answer = error.code;
    }
    process.stdout.write(answer);`;
  const command = 'ulimit -n 64; exec "$0" --input-type=module -e "$1"';
  return execFileSync('/bin/sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
}

test('[P7] a server that cannot be inspected for lack of file descriptors is not considered stopped', () => {
  const cluster = join(folder.path, 'cluster');
  mkdirSync(cluster);
  const pidFile = join(cluster, 'postmaster.pid');
  writeFileSync(pidFile, `${process.pid}\n${cluster}\n1\n5432\n/nowhere\n\n\nready   \n`);
  assert.equal(askWithoutDescriptors('postmaster.isStillRunning(pid, cluster)', cluster), 'true');
  assert.equal(askWithoutDescriptors('postmaster.isAlive(pid)', cluster), 'true');
  assert.equal(askWithoutDescriptors('postmaster.findPostmaster(cluster)', cluster), 'EMFILE');
  assert.equal(askWithoutDescriptors('postmaster.removeStalePidFile(cluster)', cluster), 'EMFILE');
  assert.equal(existsSync(pidFile), true);
});
