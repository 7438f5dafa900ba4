import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { startEmbeddedServer } from '#storage';
import { silentLog } from '#telemetry';
import { stopOrphanDatabase } from '../../../../test/support/orphan-database.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../../../../test/support/temporary.ts';
import { prepareFirstRun } from '../first-run.ts';
import { findRunning, recordRunning } from '../../doctor/running.ts';
import { SettingsError } from '../../settings/settings-problem.ts';
import type { StoreSettings } from '../../settings/store-settings.ts';
import { type Stores, openStores } from './stores.ts';

let folder: TemporaryFolder;
let dataDir: string;

before(() => {
  folder = createTemporaryFolder();
  dataDir = `${folder.path}/data`;
});

after(async () => {
  await stopOrphanDatabase(dataDir);
  folder.remove();
});

const open = (role: 'gateway' | 'command', settings: Partial<StoreSettings> = {}): Promise<Stores> =>
  openStores({ dataDir, ...settings }, { role, log: silentLog });

async function assertRefused(settings: Partial<StoreSettings>, message: RegExp): Promise<void> {
  await assert.rejects(
    async () => {
      const stores = await open('command', settings);
      await stores[Symbol.asyncDispose]();
    },
    (error) => {
      assert.ok(error instanceof SettingsError, String(error));
      assert.match(error.message, message);
      return true;
    },
  );
}

test('a command does not begin an installation in a folder without one', async () => {
  await assert.rejects(open('command'), /there is no Sluice data in .*--data-dir/);
  assert.equal(existsSync(dataDir), false);
});

test('drafts that a killed first start of the same process number left do not hinder the next', async () => {
  const path = `${folder.path}/drafts`;
  mkdirSync(path);
  writeFileSync(`${path}/secret.${process.pid}`, 'half');
  writeFileSync(`${path}/gateway.json`, '{"url":"http://127');
  writeFileSync(`${path}/gateway.json.${process.pid}`, '{');
  const stores = await open('gateway', { dataDir: path });
  assert.match(readFileSync(`${path}/secret`, 'utf8'), /^[0-9a-f]{64}\n$/);
  recordRunning(path, { url: 'http://127.0.0.1:1' });
  assert.equal(findRunning(path)?.pid, process.pid);
  await stores[Symbol.asyncDispose]();
});

test('a data directory that cannot be one is refused with what to do', async () => {
  const file = folder.write('a-file', '');
  const closed = `${folder.path}/closed`;
  mkdirSync(closed, { mode: 0o500 });
  const cases: [dataDir: string, message: RegExp][] = [
    [file, /a-file is a file; name a folder with --data-dir/],
  ];
  // Root can enter everything.
  if (process.getuid?.() !== 0)
    cases.push([closed, /closed belongs to user \d+ and this user cannot write there; change its owner/]);
  for (const [dataDir, message] of cases)
    await assert.rejects(open('gateway', { dataDir }), (error: Error) => {
      assert.ok(error instanceof SettingsError, String(error));
      assert.match(error.message, message);
      return true;
    });
});

test('the first start creates one account with its keys, and a secret that only its owner can read', async () => {
  await using stores = await open('gateway');
  const first = await prepareFirstRun(stores.accounts);
  const again = await prepareFirstRun(stores.accounts);
  assert.match(first.firstRun?.apiKey ?? '', /^slc_/);
  assert.match(first.firstRun?.adminKey ?? '', /^slcadm_/);
  assert.equal(again.firstRun, undefined);
  assert.equal(again.projectId, first.projectId);
  const caller = await stores.accounts.identify(first.firstRun?.apiKey ?? '');
  assert.equal(caller.projectId, first.projectId);
  assert.match(readFileSync(`${dataDir}/secret`, 'utf8'), /^[0-9a-f]{64}\n$/);
  assert.equal(statSync(`${dataDir}/secret`).mode & 0o777, 0o600);
});

test('gateways that start for the first time simultaneously create one account with one pair of keys', async () => {
  await using stores = await open('gateway', { dataDir: `${folder.path}/at-once` });
  const starts = await Promise.all(Array.from({ length: 4 }, () => prepareFirstRun(stores.accounts)));
  assert.equal(starts.filter(({ firstRun }) => firstRun).length, 1);
  assert.equal(new Set(starts.map(({ projectId }) => projectId)).size, 1);
  assert.equal((await stores.accounts.directory.listOrganizations()).length, 1);
  assert.equal((await stores.accounts.directory.listAdminKeys({})).length, 1);
});

test('no new admin key is created on start if every API key was deleted', async () => {
  await using stores = await open('gateway', { dataDir: `${folder.path}/no-keys` });
  const { directory } = stores.accounts;
  const { projectId } = await prepareFirstRun(stores.accounts);
  for (const { id } of await directory.listKeys({ projectId })) await directory.deleteKey(id);
  assert.equal((await prepareFirstRun(stores.accounts)).firstRun, undefined);
});

test('a command works while a gateway runs and leaves its database running', async () => {
  await using gateway = await open('gateway');
  {
    await using command = await open('command');
    assert.equal((await command.accounts.directory.listKeys({})).length, 1);
  }
  assert.equal((await gateway.accounts.directory.listKeys({})).length, 1);
});

test('a key created before a restart works after it', async () => {
  let secret = '';
  {
    await using stores = await open('gateway');
    const { projectId } = await prepareFirstRun(stores.accounts);
    secret = (await stores.accounts.directory.createKey({ projectId, label: 'kept' })).secret;
  }
  await using stores = await open('gateway');
  assert.equal((await stores.accounts.identify(secret)).keyLabel, 'kept');
});

test('another secret than the database was filled with is refused', async () => {
  await assertRefused({ secret: 'x'.repeat(32) }, /SLUICE_SECRET: this is not the secret/);
  const own = readFileSync(`${dataDir}/secret`, 'utf8');
  writeFileSync(`${dataDir}/secret`, `${'0'.repeat(64)}\n`);
  await assertRefused({}, /secret: this is not the secret/);
  rmSync(`${dataDir}/secret`);
  await assertRefused({}, /secret: the file is missing/);
  assert.equal(existsSync(`${dataDir}/secret`), false, 'no new one takes its place');
  await using stores = await open('command', { secret: own.trim() });
  assert.ok((await stores.accounts.directory.listKeys({})).length > 0);
});

test('an external database is shared by gateways that have one secret, and refused to others', async () => {
  const server = await startEmbeddedServer({ directory: `${folder.path}/external`, log: silentLog });
  try {
    const { connection } = server;
    assert.ok('host' in connection);
    const { host, user, password, database } = connection;
    const databaseUrl = `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(host)}`;
    const at = (name: string) => ({ dataDir: `${folder.path}/${name}`, databaseUrl });
    await using first = await open('gateway', at('first'));
    await prepareFirstRun(first.accounts);
    await assertRefused(at('stranger'), /secret: the file is missing, and this database was created/);
    const secret = Buffer.from(first.secret).toString();
    await using second = await open('gateway', { ...at('second'), secret });
    assert.equal((await second.accounts.directory.listKeys({})).length, 1);
  } finally {
    await server.stop();
  }
});
