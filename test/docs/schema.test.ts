import { readMigrations } from '#storage';
import { openPatiently } from '../support/open-patiently.ts';
import { createSharedDatabase } from '../support/shared-server.ts';
import { testGeneratedPage } from './generated-page.ts';
import { drawSchema } from './schema/draw-schema.ts';
import { readSchema } from './schema/read-schema.ts';
import { readSources } from './schema/read-sources.ts';

const INTRODUCTION = `# Database schema

The schema of a new database as PostgreSQL reports it, after all [migrations](../src/storage/migrations): each object in the section
of the migration that creates it, in their order, with the comments that are there. A table has everything that later migrations
added to it. \`UPDATE_DOCS=1 npm test -- --only test/docs/schema\` writes this page.

Not on it are \`schema_migration\`, which lists the migrations of a database (\`src/storage/database/migrate.ts\`), and the partitions of
months, which are created as time passes.`;

testGeneratedPage('docs/schema.md', async () => {
  await using shared = await createSharedDatabase(); // embedded: another version words some definitions differently
  const database = openPatiently({ connection: shared.connection, applicationName: 'sluice test' });
  const schema = await readSchema(database);
  await database.close();
  return `${INTRODUCTION}\n\n${drawSchema(schema, readSources(await readMigrations()))}\n`;
});
