import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '#base';
import { connect, createServerYard } from '../../../test/support/embedded-server.ts';
import { readSchemaFacts } from '../../../test/support/schema-facts.ts';
import { openDatabase } from './open-database.ts';
import { migrate } from './migrate.ts';
import { type Migration, readMigrations } from './read-migrations.ts';

test('the schema by topic is the schema that the migrations lead to', async () => {
  await using yard = createServerYard();
  const server = await yard.start(join(yard.folder, 'data'));
  const build = async (name: string, files: readonly Migration[]): Promise<string[]> => {
    const admin = connect(server);
    await admin.query({ text: `CREATE DATABASE ${name}` });
    await admin.close();
    const connection = { ...server.connection, database: name };
    const database = openDatabase({ connection, applicationName: 'sluice test' });
    await migrate(database, files);
    const facts = await readSchemaFacts(database);
    await database.close();
    return facts;
  };
  const migrated = await build('migrated', await readMigrations());
  const schema = await readMigrations(new URL('src/storage/schema/', packageRoot));
  assert.deepEqual(await build('by_topic', schema), migrated);
});
