import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type RestoreTarget, openRestoreTarget } from '../../../test/support/restore-target.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { type Migration, readMigrations } from '#storage';

const folder = createTemporaryFolder();
const secret = randomBytes(32).toString('hex');
after(() => folder.remove());

const fileOf = (name: string): string => join(folder.path, name);
const openTarget = (migrations: readonly Migration[]) =>
  openRestoreTarget({ folder: folder.path, secret, migrations });
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

test('a backup of a version before 0.2 is refused with what to do, and nothing is restored', async () => {
  const migrations = await readMigrations();
  await using source = await openTarget(migrations);
  await source.run('backup', fileOf('whole'));
  const text = zstdDecompressSync(readFileSync(fileOf('whole'))).toString();
  writeFileSync(
    fileOf('before'),
    zstdCompressSync(text.replace(`"${migrations[0]?.name ?? ''}"`, '"0001_first"')),
  );

  await using target = await openTarget([]);
  const { code, stderr } = await target.restore(fileOf('before'));
  assert.equal(code, 1);
  assert.match(stderr, /earlier schema \(its last migration is \w+\), which this version cannot read/);
  assert.match(stderr, /start 0\.2\.0 on that database once, then this version/);
  assert.deepEqual(
    (await target.database.query({ text: `SELECT to_regclass('organization') AS found` })).rows,
    [{ found: null }],
  );
});
