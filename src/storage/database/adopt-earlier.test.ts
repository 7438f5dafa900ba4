import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readEarlierMigrations, readMigrationsWithFunctions } from '../../../test/support/earlier-schema.ts';
import { connect, createServerYard } from '../../../test/support/embedded-server.ts';
import { readSchemaFacts } from '../../../test/support/schema-facts.ts';
import type { EmbeddedServer } from '../embedded/embedded-server.ts';
import type { AppliedMigration } from './adopt-earlier.ts';
import type { Database } from './database.ts';
import { MigrationRefused } from './migration-refused.ts';
import { UNFINISHED_MOVE, migrate } from './migrate.ts';
import { openPatiently } from '../../../test/support/open-patiently.ts';
import { readMigrations } from './read-migrations.ts';

const yard = createServerYard();
let server: EmbeddedServer;

before(async () => {
  server = await yard.start(join(yard.folder, 'data'));
});

after(() => yard[Symbol.asyncDispose]());

/** A database of a test's own as the version before has created it, with all its migrations or the first of them. */
async function openEarlier(count?: number): Promise<Database> {
  const database = await openEmpty();
  await migrate(database, readEarlierMigrations().slice(0, count));
  return database;
}

async function openEmpty(): Promise<Database> {
  const name = `earlier_${randomBytes(4).toString('hex')}`;
  const admin = connect(server);
  await admin.query({ text: `CREATE DATABASE ${name}` });
  await admin.close();
  return openPatiently({
    connection: { ...server.connection, database: name },
    applicationName: 'sluice test',
  });
}

async function readRecorded(database: Database): Promise<AppliedMigration[]> {
  const { rows } = await database.query<AppliedMigration>({
    text: 'SELECT name, checksum FROM schema_migration ORDER BY name',
  });
  return rows;
}

/** An organization with a plan, an open hold, and what requests leave. */
const FILL = [
  `INSERT INTO organization (id, name) VALUES ('org_1', 'Acme')`,
  `INSERT INTO project (id, organization_id, name) VALUES ('prj_1', 'org_1', 'p')`,
  `INSERT INTO api_key (id, project_id, label, digest, masked)
   VALUES ('key_1', 'prj_1', 'k', decode(repeat('ab', 32), 'hex'), 'slc_…abcd')`,
  `INSERT INTO meter (kind, subject_id, lim) VALUES ('key', 'key_1', 1000), ('credits', 'org_1', NULL)`,
  `INSERT INTO owner (note) VALUES ('old')`,
  `SELECT ledger_grant('org_1/a', 'org_1', 500)`,
  `SELECT plan_set('org_1', 'pro', 100, 200, 50, true)`,
  `SELECT ledger_step(1, NULL, '[{"id": "req_1", "k": "key_1", "o": "org_1", "a": 40, "q": true, "row": "{}"}]')`,
  `INSERT INTO request_log SELECT * FROM request_log_decode('[{"requestId": "req_0", "organizationId": "org_1",
     "projectId": "prj_1", "keyId": "key_1", "startedAt": 1700000000000, "endpoint": "e", "format": "chat",
     "finishReason": "completed", "status": 200}]')`,
  `INSERT INTO usage_hour SELECT * FROM usage_of_rows('2023-11-01Z', '2023-12-01Z')`,
];

/** The last file of the schema that the version before has, too. */
const LAST_OF_SCHEMA = '0020_checks';

const isRow = (fact: string): boolean => fact.startsWith('row ');
const isSchema = (fact: string): boolean => !isRow(fact);
const toApplied = ({ name, checksum }: AppliedMigration): AppliedMigration => ({ name, checksum });

test('a database of the version before is adopted: its schema is that of a new one, and no row changes', async () => {
  const [database, fresh] = await Promise.all([openEarlier(), openEmpty()]);
  const migrations = (await readMigrations()).filter(({ name }) => name <= LAST_OF_SCHEMA);
  await migrate(fresh, migrations);
  for (const text of FILL) await database.query({ text });
  const before = await readSchemaFacts(database);
  assert.ok(before.filter(isRow).length > FILL.length, 'there are rows to keep');

  assert.deepEqual(await migrate(database, migrations), []);
  const after = await readSchemaFacts(database);
  assert.deepEqual(after.filter(isSchema), (await readSchemaFacts(fresh)).filter(isSchema));
  assert.deepEqual(after.filter(isRow), before.filter(isRow));
  assert.deepEqual(await readRecorded(database), await readRecorded(fresh));
  await Promise.all([database.close(), fresh.close()]);
});

/** How many migrations 0.2.0 had, and some of the versions after it. */
const STATES = [20, 23, 26, 28, 31, 34, 36];

test('a database of 0.2.0 or a version since gets the schema of a new one, and keeps what it has recorded', async () => {
  const frozen = readMigrationsWithFunctions();
  const migrations = await readMigrations();
  const fresh = await openEmpty();
  await migrate(fresh, migrations);
  const expected = (await readSchemaFacts(fresh)).filter(isSchema);
  for (const count of STATES) {
    const database = await openEmpty();
    await migrate(database, frozen.slice(0, count));
    const recorded = await readRecorded(database);
    const missing = migrations.map(({ name }) => name).filter((name) => name > (recorded.at(-1)?.name ?? ''));
    assert.deepEqual(await migrate(database, migrations), missing, `after ${count}`);
    assert.deepEqual((await readSchemaFacts(database)).filter(isSchema), expected, `after ${count}`);
    assert.deepEqual((await readRecorded(database)).slice(0, count), recorded);
    assert.deepEqual(await migrate(database, migrations), [], 'once');
    await database.close();
  }
  await fresh.close();
});

test('several processes that adopt a database at once record one schema, and what is newer is applied once', async () => {
  const database = await openEarlier();
  const later = { name: '9998_later', sql: 'CREATE TABLE later (id int)', functions: [], checksum: 'c' };
  const migrations = [...(await readMigrations()), later];
  const applied = await Promise.all([1, 2, 3].map(() => migrate(database, migrations)));
  const newer = migrations.map(({ name }) => name).filter((name) => name > LAST_OF_SCHEMA);
  assert.deepEqual(applied.flat(), newer);
  assert.deepEqual(await readRecorded(database), migrations.map(toApplied));
  await database.close();
});

test('a database that is not at the end of the version before is refused with what to do, and stays as it is', async () => {
  const [unfinished, changed, foreign] = await Promise.all([openEarlier(20), openEarlier(), openEmpty()]);
  await changed.query({ text: `UPDATE schema_migration SET checksum = 'c' WHERE name = '0013_log_rows'` });
  await migrate(foreign, [
    { name: '0001_first', sql: 'CREATE TABLE a (id int)', functions: [], checksum: 'c' },
  ]);
  for (const database of [unfinished, changed, foreign]) {
    const [facts, recorded] = [await readSchemaFacts(database), await readRecorded(database)];
    const last = recorded.at(-1)?.name ?? '';
    await assert.rejects(migrate(database, await readMigrations()), (error) => {
      assert.ok(error instanceof MigrationRefused);
      assert.match(error.message, new RegExp(`before 0\\.2, and its last migration is ${last}\\.`));
      assert.match(error.message, /Start the last version before 0\.2 on it once, then this one/);
      return true;
    });
    assert.deepEqual(await readSchemaFacts(database), facts);
    assert.deepEqual(await readRecorded(database), recorded);
    await database.close();
  }
});

test('a move that the version before has begun into a database is named as such', async () => {
  const database = await openEarlier();
  await database.query({
    text: `INSERT INTO schema_migration (name, checksum) VALUES ('${UNFINISHED_MOVE}', 'c')`,
  });
  await assert.rejects(
    migrate(database, await readMigrations()),
    /A move into this database is not finished/,
  );
  await database.close();
});
