import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadSettings } from '#app';
import { createTemporaryFolder } from '../support/temporary.ts';

const unit = readFileSync(
  fileURLToPath(new URL('../../deploy/systemd/sluice.service', import.meta.url)),
  'utf8',
);

test('systemd understands each line of the unit', (t) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    t.skip('there is no systemd here');
    return;
  }
  using folder = createTemporaryFolder();
  const verify = (text: string): string => {
    // The machine's Node may be elsewhere.
    const file = folder.write('sluice.service', text.replace('=/usr/bin/node ', `=${process.execPath} `));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    return stderr.includes('sluice.service') || status !== 0 ? stderr : '';
  };
  assert.equal(verify(unit), '');
  assert.match(verify(unit.replace('KillMode=', 'KillMood=')), /Unknown key (?:name )?'KillMood'/);
});

test('the unit gives open answers their time, and stops only the gateway', async () => {
  const { drainMs, readyDelayMs } = await loadSettings({ environment: {}, workingDirectory: '/' });
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
  assert.ok(seconds * 1_000 > drainMs + readyDelayMs, `${seconds} s`);
  assert.match(unit, /^KillMode=mixed$/m);
});
