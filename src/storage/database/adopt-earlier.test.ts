import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readEarlierMigrations } from '../../../test/support/earlier-schema.ts';
import { connect, createServerYard, readOne } from '../../../test/support/embedded-server.ts';
import { readSchemaFacts } from '../../../test/support/schema-facts.ts';
import type { EmbeddedServer } from '../embedded/embedded-server.ts';
import type { Database } from './database.ts';
import { MigrationRefused } from './migration-refused.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-database.ts';
import { readMigrations } from './read-migrations.ts';

const yard = createServerYard();
let server: EmbeddedServer;

before(async () => {
  server = await yard.start(join(yard.folder, 'data'));
});

after(() => yard[Symbol.asyncDispose]());

/** A database of a test's own with the first migrations of version 0.1. */
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
  return openDatabase({
    connection: { ...server.connection, database: name },
    applicationName: 'sluice test',
  });
}

/** A row in each table that version 0.1 has in another shape, and in those around them. */
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
  `INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider, swept, spared)
   VALUES ('req_0', 'estimate', '{1,2}', 0, 0, true, '{3}')`,
  `INSERT INTO request_log SELECT * FROM request_log_decode('[{"requestId": "req_0", "organizationId": "org_1",
     "projectId": "prj_1", "keyId": "key_1", "startedAt": 1700000000000, "endpoint": "e", "format": "chat",
     "finishReason": "completed", "status": 200}]')`,
  `UPDATE log_state SET closed_through = now(), counted_through = now(), horizon = '2023-01-01Z'`,
  `INSERT INTO usage_hour SELECT * FROM usage_of_rows('2023-11-01Z', '2023-12-01Z')`,
  `INSERT INTO usage_late VALUES ('2023-11-14T22:00Z')`,
  `INSERT INTO provider_key (id, organization_id, provider_id, origin, sealed, masked)
   VALUES ('pk_1', 'org_1', 'openai', 'https://api.openai.com', 'sealed', '…1234')`,
  `INSERT INTO account_object VALUES ('org_1', 'prj_1/user/ann', 'openai', '', 'file_1', now())`,
];

/** What version 0.1 has in columns that are newer: holds are not leases, keys and projects choose nothing, requests name nobody. */
const NEWER: readonly [row: string, columns: string][] = [
  ['row hold ', ',f)'],
  ['row api_key ', ',)'],
  ['row audit_log ', ',)'],
  ['row project ', ',,,f,f)'],
  ['row request_log', ',,,,,,,,,,,)'],
];
/** The log's usage is kept in detail from where it is counted through. */
const addColumns = (fact: string): string =>
  fact.startsWith('row log_state ')
    ? fact.replace(/(,"[^"]*")\)$/, '$1$1)')
    : fact.replace(/\)$/, NEWER.find(([row]) => fact.startsWith(row))?.[1] ?? ')');
const isRow = (fact: string): boolean => fact.startsWith('row ');

test('a database of version 0.1 gets the current schema and keeps its rows', async () => {
  const [database, fresh] = await Promise.all([openEarlier(), openEmpty()]);
  const migrations = await readMigrations();
  await migrate(fresh, migrations);
  const expected = (await readSchemaFacts(fresh)).filter((fact) => !isRow(fact));
  for (const text of FILL) await database.query({ text });
  const rows = (await readSchemaFacts(database)).filter(isRow);
  assert.ok(rows.length > FILL.length, 'there are rows to keep');

  await Promise.all([1, 2, 3].map(() => migrate(database, migrations)));
  const facts = await readSchemaFacts(database);
  assert.deepEqual(
    facts.filter((fact) => !isRow(fact)),
    expected,
  );
  assert.deepEqual(facts.filter(isRow), rows.map(addColumns));
  assert.deepEqual(await migrate(database, migrations), []);
  await Promise.all([database.close(), fresh.close()]);
});

test('an interrupted upgrade of a database is completed by the next start', async () => {
  const [database, fresh] = await Promise.all([openEarlier(), openEmpty()]);
  const migrations = await readMigrations();
  await migrate(fresh, migrations);
  await migrate(database, migrations.slice(0, 9)); // the tables, and the first functions
  await migrate(database, migrations);
  assert.deepEqual(await readSchemaFacts(database), await readSchemaFacts(fresh));
  await Promise.all([database.close(), fresh.close()]);
});

test('a database that stopped on the way through version 0.1 is refused and stays as it is', async () => {
  const database = await openEarlier(20);
  const facts = await readSchemaFacts(database);
  await assert.rejects(migrate(database, await readMigrations()), (error) => {
    assert.ok(error instanceof MigrationRefused);
    assert.match(error.message, /before 0\.2, and its last migration is 0031_video_content\./);
    assert.match(error.message, /Start the last 0\.1 version on it once, then this one/);
    return true;
  });
  assert.deepEqual(await readSchemaFacts(database), facts);
  assert.equal(await readOne(database, 'SELECT count(*) FROM schema_migration'), 20n);
  await database.close();
});
