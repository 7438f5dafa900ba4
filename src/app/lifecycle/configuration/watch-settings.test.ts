import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { silentLog } from '#telemetry';
import { type TemporaryFolder, createTemporaryFolder } from '../../../../test/support/temporary.ts';
import { until } from '../../../../test/support/until.ts';
import { loadSettings } from '../../settings/load-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import { watchSettings } from './watch-settings.ts';

interface Watched extends Disposable {
  changes: Settings[];
  errors: string[];
  warnings: string[];
}

async function watch(folder: TemporaryFolder): Promise<Watched> {
  const origin = { environment: {}, workingDirectory: folder.path };
  const [changes, errors, warnings]: [Settings[], string[], string[]] = [[], [], []];
  const log = {
    ...silentLog,
    error: (facts: object) => void errors.push(JSON.stringify(facts)),
    warn: (facts: object) => void warnings.push(JSON.stringify(facts)),
  };
  const settings = await loadSettings(origin);
  const watcher = watchSettings({ settings, origin, log, onChange: (next) => changes.push(next) });
  return { changes, errors, warnings, [Symbol.dispose]: () => watcher[Symbol.dispose]() };
}

test('an edit takes effect without a restart', async () => {
  using folder = createTemporaryFolder();
  const file = folder.write('sluice.yaml', 'allowUnpriced: false\n');
  using watched = await watch(folder);
  writeFileSync(file, 'allowUnpriced: true\n');
  await until('the change is reported', () => watched.changes.length === 1);
  assert.equal(watched.changes[0]?.allowUnpriced, true);
});

test('an invalid edit is reported and the last valid configuration kept; the next valid one takes effect', async () => {
  using folder = createTemporaryFolder();
  const file = folder.write('sluice.yaml', 'allowUnpriced: false\n');
  using watched = await watch(folder);
  writeFileSync(file, 'alowUnpriced: true\n');
  await until('the error is reported', () => watched.errors.length === 1);
  assert.match(watched.errors[0] ?? '', /sluice\.yaml:1:1: unknown key .*did you mean .*allowUnpriced/);
  assert.equal(watched.changes.length, 0);
  writeFileSync(file, 'allowUnpriced: true\n');
  await until('the change is reported', () => watched.changes.length === 1);
});

test('an editor that puts a new file in the place of the old one is noticed, again and again', async () => {
  using folder = createTemporaryFolder();
  folder.write('sluice.yaml', 'drainSeconds: 1\n');
  using watched = await watch(folder);
  for (const ms of [10, 20, 30]) {
    const draft = folder.write('draft', `timeouts: { idleMs: ${ms} }\n`);
    renameSync(draft, `${folder.path}/sluice.yaml`);
    await until('the change is reported', () => watched.changes.at(-1)?.timeouts.idleMs === ms);
  }
});

test('a file that appears after the start is read, and one that is removed changes nothing', async () => {
  using folder = createTemporaryFolder();
  using watched = await watch(folder);
  const file = folder.write('sluice.yaml', 'allowUnpriced: true\n');
  await until('the change is reported', () => watched.changes.length === 1);
  rmSync(file);
  await sleep(300);
  assert.equal(watched.changes.length, 1);
  assert.deepEqual(watched.errors, []);
});

test('an edit between reading the file and watching it is not lost', async () => {
  using folder = createTemporaryFolder();
  const file = folder.write('sluice.yaml', 'allowUnpriced: false\n');
  const origin = { environment: {}, workingDirectory: folder.path };
  const settings = await loadSettings(origin);
  writeFileSync(file, 'allowUnpriced: true\n');
  const changes: Settings[] = [];
  const watcher = watchSettings({
    settings,
    origin,
    log: silentLog,
    onChange: (next) => changes.push(next),
  });
  await until('the change is reported', () => changes.length === 1);
  watcher[Symbol.dispose]();
});

test('a setting that is read once is named as waiting for the next start', async () => {
  using folder = createTemporaryFolder();
  const file = folder.write('sluice.yaml', 'server: { port: 1 }\n');
  using watched = await watch(folder);
  writeFileSync(file, 'server: { port: 2 }\n');
  await until('the warning is reported', () => watched.warnings.length === 1);
  assert.match(watched.warnings[0] ?? '', /port/);
});
