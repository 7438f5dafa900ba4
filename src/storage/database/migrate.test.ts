import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { connect, createServerYard, readOne } from '../../../test/support/embedded-server.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import type { EmbeddedServer } from '../embedded/embedded-server.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { MigrationRefused } from './migration-refused.ts';
import { openDatabase } from './open-database.ts';
import { type Migration, readMigrations } from './read-migrations.ts';

const yard = createServerYard();
let server: EmbeddedServer;

before(async () => {
  server = await yard.start(join(yard.folder, 'data'));
});

after(() => yard[Symbol.asyncDispose]());

/** An empty database of a test's own. */
async function openEmpty(): Promise<Database> {
  const name = `empty_${randomBytes(4).toString('hex')}`;
  const admin = connect(server);
  await admin.query({ text: `CREATE DATABASE ${name}` });
  await admin.close();
  return openDatabase({
    connection: { ...server.connection, database: name },
    applicationName: 'sluice test',
  });
}

function createMigration(name: string, sql: string): Migration {
  return { name, sql, checksum: `checksum of ${sql}` };
}

const FIRST = createMigration('0001_first', 'CREATE TABLE a (id int); CREATE TABLE b (id int);');
const SECOND = createMigration('0002_second', 'ALTER TABLE a ADD COLUMN name text;');

test('the program’s own migrations are applied once, in order', async () => {
  const migrations = await readMigrations();
  const database = await openEmpty();
  const names = migrations.map(({ name }) => name);
  assert.ok(names.includes('0001_audit'));
  assert.deepEqual(await migrate(database, migrations), names);
  assert.deepEqual(await migrate(database, migrations), []);
  assert.equal(await readOne(database, 'SELECT count(*) FROM schema_migration'), BigInt(names.length));
  await database.close();
});

test('of several processes that migrate at once one does the work and the others find it done', async () => {
  const database = await openEmpty();
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database, [FIRST, SECOND])));
  assert.deepEqual(
    applied.filter((names) => names.length > 0),
    [['0001_first', '0002_second']],
  );
  await database.close();
});

test('a later version adds only its own steps', async () => {
  const database = await openEmpty();
  assert.deepEqual(await migrate(database, [FIRST]), ['0001_first']);
  assert.deepEqual(await migrate(database, [FIRST, SECOND]), ['0002_second']);
  await database.close();
});

test('a step that fails is undone as a whole, named, and tried again the next time', async () => {
  const database = await openEmpty();
  const broken = createMigration('0002_broken', 'CREATE TABLE c (id int); SELECT 1 / 0;');
  await assert.rejects(
    migrate(database, [FIRST, broken]),
    /0002_broken failed and was rolled back: division by zero/,
  );
  assert.equal(await readOne(database, "to_regclass('a')::text"), 'a');
  assert.equal(await readOne(database, "to_regclass('c')::text"), null);
  const repaired = createMigration('0002_broken', 'CREATE TABLE c (id int);');
  assert.deepEqual(await migrate(database, [FIRST, repaired]), ['0002_broken']);
  await database.close();
});

test('a changed file is refused by name, and nothing is applied', async () => {
  const database = await openEmpty();
  await migrate(database, [FIRST]);
  const changed = createMigration('0001_first', 'CREATE TABLE a (id bigint);');
  await assert.rejects(migrate(database, [changed, SECOND]), (error) => {
    assert.ok(error instanceof MigrationRefused);
    assert.match(error.message, /0001_first differs/);
    return true;
  });
  assert.equal(await readOne(database, 'SELECT count(*) FROM schema_migration'), 1n);
  await database.close();
});

test('a database that is newer than the program is refused', async () => {
  const database = await openEmpty();
  await migrate(database, [FIRST, SECOND]);
  await assert.rejects(migrate(database, [FIRST]), /newer than this program: it has 0002_second/);
  await database.close();
});

test('a file that is out of line is named; line ends do not change a checksum', async () => {
  using folder = createTemporaryFolder();
  const directory = pathToFileURL(`${folder.path}/`);
  folder.write('0002_b.sql', 'SELECT 2;\n');
  folder.write('0001_a.sql', 'SELECT 1;\n');
  folder.write('notes.md', 'not SQL');
  const read = await readMigrations(directory);
  assert.deepEqual(
    read.map(({ name, sql }) => [name, sql]),
    [
      ['0001_a', 'SELECT 1;\n'],
      ['0002_b', 'SELECT 2;\n'],
    ],
  );
  folder.write('0001_a.sql', 'SELECT 1;\r\n');
  assert.deepEqual(await readMigrations(directory), read);
  folder.write('0002_c.sql', 'SELECT 3;\n');
  await assert.rejects(readMigrations(directory), /0002_c\.sql and 0002_b\.sql have the same number/);
  folder.write('0000.sql', 'SELECT 4;\n');
  await assert.rejects(readMigrations(directory), /0000\.sql is not a migration/);
});
