import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readMigrationsWithFunctions } from '../../../test/support/earlier-schema.ts';
import { createTestServers, openEmptyDatabase } from '../../../test/support/embedded-server.ts';
import { seedCluster } from '../../../test/support/seed-cluster.ts';
import { readSchemaFacts } from '../../../test/support/schema-facts.ts';
import type { EmbeddedServer } from '../embedded/embedded-server.ts';
import type { AppliedMigration } from './current-steps.ts';
import type { Database } from './database.ts';
import { MigrationRefused } from './migration-refused.ts';
import { migrate } from './migrate.ts';
import { readMigrations } from './read-migrations.ts';

const servers = createTestServers();
let server: EmbeddedServer;

before(async () => {
  const directory = join(servers.folder, 'data');
  await seedCluster(directory);
  server = await servers.start(directory);
});

after(() => servers[Symbol.asyncDispose]());

const openEmpty = (): Promise<Database> => openEmptyDatabase(server);

async function readRecorded(database: Database): Promise<AppliedMigration[]> {
  const { rows } = await database.query<AppliedMigration>({
    text: 'SELECT name, checksum FROM schema_migration ORDER BY name',
  });
  return rows;
}

const isSchema = (fact: string): boolean => !fact.startsWith('row ');

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

test('a database of a version before 0.2 is refused with what to do, and stays as it is', async () => {
  const database = await openEmpty();
  await migrate(database, [
    { name: '0001_first', sql: 'CREATE TABLE a (id int)', functions: [], checksum: 'c' },
  ]);
  const facts = await readSchemaFacts(database);
  await assert.rejects(migrate(database, await readMigrations()), (error) => {
    assert.ok(error instanceof MigrationRefused);
    assert.match(error.message, /before 0\.2, and its last migration is 0001_first\./);
    assert.match(error.message, /Start 0\.2\.0 on it once, then this version/);
    return true;
  });
  assert.deepEqual(await readSchemaFacts(database), facts);
  await database.close();
});
