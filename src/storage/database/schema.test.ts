import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, createServerYard } from '../../../test/support/embedded-server.ts';
import { readSchemaFacts } from '../../../test/support/schema-facts.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-database.ts';
import { readMigrations } from './read-migrations.ts';

test('the schema in one piece is the one that the chain of migrations made', async () => {
  await using yard = createServerYard();
  const server = await yard.start(join(yard.folder, 'data'));
  const admin = connect(server);
  const facts: Record<string, string[]> = {};
  for (const name of ['migrations', 'schema']) {
    await admin.query({ text: `CREATE DATABASE of_${name}` });
    const connection = { ...server.connection, database: `of_${name}` };
    const database = openDatabase({ connection, applicationName: 'sluice test' });
    await migrate(database, await readMigrations(new URL(`../${name}/`, import.meta.url)));
    facts[name] = await readSchemaFacts(database);
    await database.close();
  }
  await admin.close();
  assert.ok((facts['schema'] ?? []).length > 800, 'there is something to compare');
  assert.deepEqual(facts['schema'], facts['migrations']);
});
