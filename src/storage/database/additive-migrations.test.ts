import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect, createServerYard } from '../../../test/support/embedded-server.ts';
import type { EmbeddedServer } from '../embedded/embedded-server.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { readMigrations } from './read-migrations.ts';

/** The last migration of a version that may run on the same database as this one, during a rolling upgrade. */
const EARLIER = '0029_usage_detail';

const yard = createServerYard();
let server: EmbeddedServer;
let database: Database;

before(async () => {
  server = await yard.start(join(yard.folder, 'data'));
  database = connect(server);
});
after(async () => {
  await database.close();
  await yard[Symbol.asyncDispose]();
});

interface Column {
  name: string;
  type: string;
  required: boolean;
  /** Whether an INSERT may leave it out. */
  optional: boolean;
}

/** What an earlier program may name: columns by `table.column`, functions by their arguments. */
async function readInterface(): Promise<{ columns: Map<string, Column>; functions: Map<string, string> }> {
  const { rows: columns } = await database.query<Column>({
    text: `SELECT c.relname || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
        NOT a.attnotnull OR a.atthasdef OR a.attidentity <> '' AS optional
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'c') AND NOT c.relispartition`,
  });
  const { rows: functions } = await database.query<{ name: string; result: string }>({
    text: `SELECT proname || '(' || pg_get_function_identity_arguments(oid) || ')' AS name, pg_get_function_result(oid) AS result
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype`,
  });
  return {
    columns: new Map(columns.map((column) => [column.name, column])),
    functions: new Map(functions.map(({ name, result }) => [name, result])),
  };
}

test('migrations only add: what the program of the version before reads, writes and calls is still there', async () => {
  const migrations = await readMigrations();
  const last = migrations.findIndex(({ name }) => name === EARLIER);
  await migrate(database, migrations.slice(0, last + 1));
  const earlier = await readInterface();
  await migrate(database, migrations);
  const now = await readInterface();
  const tables = new Set([...earlier.columns.keys()].map((name) => name.split('.')[0]));
  const broken = [
    ...[...earlier.columns.values()].flatMap(({ name, type, required }) => {
      const later = now.columns.get(name);
      if (!later) return [`${name} is gone`];
      if (later.type !== type) return [`${name} is ${later.type} instead of ${type}`];
      return later.required && !required ? [`${name} is required now`] : [];
    }),
    ...[...now.columns.values()].flatMap(({ name, optional }) => {
      const isNew = !earlier.columns.has(name) && tables.has(name.split('.')[0]);
      return isNew && !optional ? [`${name} is new and must be given`] : [];
    }),
    ...[...earlier.functions].flatMap(([name, result]) =>
      now.functions.get(name) === result ? [] : [`${name} is gone or returns something else`],
    ),
  ];
  assert.deepEqual(
    broken,
    [],
    'keep it until no earlier version runs, or name the version that needs a full stop in production.md',
  );
});
