import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createTestServers, openEmptyDatabase, readOne } from '../../../test/support/embedded-server.ts';
import { seedCluster } from '../../../test/support/seed-cluster.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import type { EmbeddedServer } from '../embedded/embedded-server.ts';
import { silentLog } from '#telemetry';
import { LOCK_CLASS, MIGRATION_LOCK_ID } from './advisory-locks.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { MigrationRefused } from './migration-refused.ts';
import { type Migration, digestFunctions, readMigrations } from './read-migrations.ts';

const servers = createTestServers();
let server: EmbeddedServer;

before(async () => {
  const directory = join(servers.folder, 'data');
  await seedCluster(directory);
  server = await servers.start(directory);
});

after(() => servers[Symbol.asyncDispose]());

const openEmpty = (): Promise<Database> => openEmptyDatabase(server);

function createMigration(name: string, sql: string): Migration {
  return { name, sql, functions: [], checksum: `checksum of ${sql}` };
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

test('while another session migrates, the log names it, and the wait can be ended', async () => {
  const database = await openEmpty();
  const other = await database.openSession('sluice other');
  await other.query({ text: `SELECT pg_advisory_lock(${LOCK_CLASS}, ${MIGRATION_LOCK_ID})` });
  const stop = new AbortController();
  const lines: [object, string][] = [];
  const warn = (facts: object, message: string): void => {
    lines.push([facts, message]);
    stop.abort(new Error('stopped'));
  };
  const log = { ...silentLog, warn };
  await assert.rejects(migrate(database, [FIRST], { log, signal: stop.signal }), /stopped/);
  const [[facts, message] = assert.fail(), ...more] = lines;
  assert.match(message, /another session migrates/);
  assert.match((facts as { session: string }).session, /^sluice other/);
  assert.deepEqual(more, []);
  const waiting = Promise.withResolvers<undefined>();
  const begin = { ...silentLog, warn: () => waiting.resolve(undefined) };
  const migrating = migrate(database, [FIRST], { log: begin });
  await waiting.promise;
  await other.close();
  assert.deepEqual(await migrating, ['0001_first']);
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

test('a step may take longer than the database lets statements and transactions', async () => {
  const database = await openEmpty();
  for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout'])
    await database.query({
      text: `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${limit} = 500', current_database()); END $$`,
    });
  const long = createMigration('0001_long', 'SELECT pg_sleep(1.5)');
  assert.deepEqual(await migrate(database, [long]), ['0001_long']);
  await database.close();
});

test('a step that the server ends is reported with the reason', async () => {
  const database = await openEmpty();
  const ended = createMigration('0001_ended', 'SET statement_timeout = 1; SELECT pg_sleep(60)');
  await assert.rejects(migrate(database, [ended]), /0001_ended failed .*statement timeout/);
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

const createFunction = (returns: number): string =>
  `CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT ${returns}; $$;\n`;

test('functions are replaced with the next migration, wherever they are defined, and never without one', async () => {
  const database = await openEmpty();
  const withFunction = (returns: number): Migration => ({
    ...createMigration('0001_first', createFunction(returns)),
    functions: [createFunction(returns)],
    checksum: 'c',
  });
  const reason = createMigration('0002_reason', '-- Two is more.\n');
  await migrate(database, [withFunction(1)]);
  await assert.rejects(
    migrate(database, [withFunction(2)]),
    /others than those after 0001_first\. .* add one/,
  );
  assert.equal(await readOne(database, 'SELECT f()'), 1);
  assert.deepEqual(await migrate(database, [withFunction(2), reason]), ['0002_reason']);
  assert.equal(await readOne(database, 'SELECT f()'), 2);
  await assert.rejects(migrate(database, [withFunction(1)]), /newer than this program/);
  await database.close();
});

test('a start does not wait for a backup, which has read what is applied, when there is nothing to apply', async () => {
  const database = await openEmpty();
  const migrations = await readMigrations();
  await migrate(database, migrations);
  const backup = await database.openSession();
  await backup.query({ text: 'BEGIN' });
  await backup.query({ text: 'SELECT name FROM schema_migration' });
  assert.deepEqual(await migrate(database, migrations), []);
  await backup.close();
  await database.close();
});

/** By the last migration; a line is added with a migration, and never changes once it is released. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  '0034_usage_runs': '61f80abf57aef39bb914cb49c6db838bcbebfcbb6d841309a51ef2c7954930e8',
  '0037_detail_indexes': '61f80abf57aef39bb914cb49c6db838bcbebfcbb6d841309a51ef2c7954930e8',
  '0038_usage_tags': 'deed34704e3bb3bac0f4dfde48dac7d9523809cb9a33033c6c6f15d44871a709',
  '0039_unheld_settlements': '07949690029ab8326aed458426338a19e44c7a8d3658817efde370f5bc9abd9d',
  '0040_budget_refusals': '07949690029ab8326aed458426338a19e44c7a8d3658817efde370f5bc9abd9d',
  '0041_shared_limits': '0760a0182073ef917445d9e1978dd4c297a16500f218d09616af4ef34073e8e0',
  '0042_removed_accounts': '6d36a80ca9643199fa0f7b108ab9b8e17b1d5a8391228426466d5da0956364ed',
  '0043_audit_plans': 'b4ba92cdae25806fe02fbf39c297d4352b716ce24a7f4b7a0f039cd1570820a5',
  '0044_project_totals': 'd9e7a151e49889fba9eb697007abda74f4002c2a5f3a55bc55c7c9abfe72ac48',
  '0045_removal_messages': '9b9257f8a77b26dfc2783f6770f11b61d785a70dc8fb17bbf6c9f62a5432fee8',
  '0046_admin_key_members': '9b9257f8a77b26dfc2783f6770f11b61d785a70dc8fb17bbf6c9f62a5432fee8',
  '0047_usage_ranks': 'e725261e40010f8072615811d8bdb989e53f2ddf5314e6b8f931687ab7510137',
  '0048_ledger_figures': '85fafb9e8604b1c4b77e4452f58878179e4ad25877d837367f87fd9d37229aaa',
  '0049_webhook_deliveries': '85fafb9e8604b1c4b77e4452f58878179e4ad25877d837367f87fd9d37229aaa',
  '0050_agent_ranks': 'dd82c197aafde029e7fce9c0cca0b925923609d7e00ba8f102afe60e12477316',
  '0051_limited_settlements': '0151a196f8d07ac7ff7b0cbe9213ca4f2fb95855422bcb39c6b04fd99cd34f22',
};

test('the program’s functions are those of its last migration: databases of the version before would refuse others', async () => {
  const migrations = await readMigrations();
  const last = migrations.at(-1)?.name ?? '';
  const digest = digestFunctions(migrations);
  const advice =
    FUNCTIONS[last] === undefined
      ? `add a line to FUNCTIONS of this file:\n  '${last}': '${digest}',`
      : `functions have changed since ${last}: add a migration`;
  assert.equal(digest, FUNCTIONS[last], advice);
});

test('each function is defined once, as a statement that replaces it', async () => {
  const migrations = await readMigrations();
  const definitions = migrations.flatMap(({ sql }) => sql.match(/\bFUNCTION \w+\s*\(/gi) ?? []);
  const functions = migrations.flatMap((migration) => migration.functions);
  const names = functions.map((text) => /FUNCTION \w+\(/.exec(text)?.[0]);
  assert.ok(names.length > 90);
  assert.equal(new Set(names).size, names.length);
  const executed = migrations.flatMap(({ sql }) => sql.match(/\bEXECUTE FUNCTION \w+\s*\(/gi) ?? []);
  assert.equal(definitions.length - executed.length, names.length);
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
