import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readEarlierMigrations } from '../../../test/support/earlier-schema.ts';
import { type RestoreTarget, openRestoreTarget } from '../../../test/support/restore-target.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { type AppliedMigration, type Migration, readMigrations } from '#storage';

const folder = createTemporaryFolder();
const secret = randomBytes(32).toString('hex');
after(() => folder.remove());

const fileOf = (name: string): string => join(folder.path, name);
const openTarget = (migrations: readonly Migration[]) =>
  openRestoreTarget({ folder: folder.path, secret, migrations });
const toApplied = ({ name, checksum }: AppliedMigration): AppliedMigration => ({ name, checksum });
const INSERT = { text: `INSERT INTO organization (id, name) VALUES ('org_1', 'Acme')` };
const readNames = async ({ database }: RestoreTarget) =>
  (await database.query({ text: 'SELECT name FROM organization' })).rows;
const readRecorded = async ({ database }: RestoreTarget) =>
  (await database.query({ text: 'SELECT name, checksum FROM schema_migration ORDER BY name' })).rows;

test('a backup of an earlier schema is migrated when it is restored', async () => {
  const migrations = await readMigrations();
  await using source = await openTarget(migrations.slice(0, -1));
  await source.database.query(INSERT);
  await source.run('backup', fileOf('earlier'));
  assert.equal((await readRecorded(source)).length, migrations.length - 1);

  await using target = await openTarget([]);
  const { code, json, stderr } = await target.restore(fileOf('earlier'));
  assert.equal(code, 0, stderr);
  assert.deepEqual(json?.['migrated'], [migrations.at(-1)?.name]);
  assert.deepEqual(await readNames(target), [{ name: 'Acme' }]);
});

test('a backup of the version before 0.2 is restored into an empty database and into one of its schema', async () => {
  const migrations = await readMigrations();
  await using source = await openTarget(readEarlierMigrations());
  await source.database.query(INSERT);
  await source.run('backup', fileOf('before'));
  assert.deepEqual(await readRecorded(source), readEarlierMigrations().map(toApplied), 'it is not migrated');

  const newer = migrations.map(({ name }) => name).filter((name) => name > '0020_checks');
  const schema = migrations.filter(({ name }) => name <= '0020_checks');
  for (const existing of [[], schema]) {
    await using target = await openTarget(existing);
    const { code, json, stderr } = await target.restore(fileOf('before'));
    assert.equal(code, 0, stderr);
    assert.deepEqual(json?.['migrated'], newer);
    assert.deepEqual(await readRecorded(target), migrations.map(toApplied));
    assert.deepEqual(await readNames(target), [{ name: 'Acme' }]);
  }
});

test('a backup of a still earlier schema is refused with what to do, and nothing is restored', async () => {
  await using source = await openTarget(readEarlierMigrations());
  await source.run('backup', fileOf('before-whole'));
  const text = zstdDecompressSync(readFileSync(fileOf('before-whole'))).toString();
  writeFileSync(fileOf('too-early'), zstdCompressSync(text.replace(/,\{"name":"0038_[^}]*\}/, '')));

  await using target = await openTarget([]);
  const { code, stderr } = await target.restore(fileOf('too-early'));
  assert.equal(code, 1);
  assert.match(
    stderr,
    /earlier schema \(its last migration is 0037_ledger_share\), which this version cannot read/,
  );
  assert.match(stderr, /start the last version before 0\.2 on that database once, then this one/);
  assert.deepEqual(
    (await target.database.query({ text: `SELECT to_regclass('organization') AS found` })).rows,
    [{ found: null }],
  );
});
