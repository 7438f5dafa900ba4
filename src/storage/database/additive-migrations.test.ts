import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readMigrationsWithFunctions } from '../../../test/support/earlier-schema.ts';
import { connect, createTestServers } from '../../../test/support/embedded-server.ts';
import type { EmbeddedServer } from '../embedded/embedded-server.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { readMigrations } from './read-migrations.ts';

/** The last migration of a version that may run on the same database as this one, during a rolling upgrade. */
const EARLIER = '0020_checks';

const servers = createTestServers();
let server: EmbeddedServer;
let database: Database;

before(async () => {
  server = await servers.start(join(servers.folder, 'data'));
  database = connect(server);
});
after(async () => {
  await database.close();
  await servers[Symbol.asyncDispose]();
});

interface Column {
  name: string;
  type: string;
  required: boolean;
  /** Whether an INSERT may leave it out. */
  optional: boolean;
}

/** What an earlier program may name: columns by `table.column`, results of functions by their arguments. */
interface Interface {
  columns: Map<string, Column>;
  functions: Map<string, string>;
}

async function readInterface(): Promise<Interface> {
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

/** What the program that was written for the earlier schema cannot do with the later one. */
function findBreaks(earlier: Interface, later: Interface): string[] {
  const tables = new Set([...earlier.columns.keys()].map((name) => name.split('.')[0]));
  return [
    ...[...earlier.columns.values()].flatMap(({ name, type, required }) => {
      const column = later.columns.get(name);
      if (!column) return [`${name} is gone`];
      if (column.type !== type) return [`${name} is ${column.type} instead of ${type}`];
      return column.required && !required ? [`${name} is required now`] : [];
    }),
    ...[...later.columns.values()].flatMap(({ name, optional }) => {
      const isNew = !earlier.columns.has(name) && tables.has(name.split('.')[0]);
      return isNew && !optional ? [`${name} is new and must be given`] : [];
    }),
    ...[...earlier.functions].flatMap(([name, result]) =>
      later.functions.get(name) === result ? [] : [`${name} is gone or returns something else`],
    ),
  ];
}

test('migrations only add: what the program of the version before reads, writes and calls is still there', async () => {
  const migrations = readMigrationsWithFunctions();
  const last = migrations.findIndex(({ name }) => name === EARLIER);
  assert.notEqual(last, -1);
  await migrate(database, migrations.slice(0, last + 1));
  const earlier = await readInterface();
  await migrate(database, await readMigrations());
  assert.deepEqual(
    findBreaks(earlier, await readInterface()),
    [],
    'keep it until no earlier version runs, or name the version that needs a full stop in production.md',
  );
});

/** A migration that adds, and each of those that do not. */
const CHANGES: readonly [sql: string, breaks: string[]][] = [
  ['CREATE TABLE later (id int NOT NULL); ALTER TABLE member ADD COLUMN note text', []],
  ['ALTER TABLE alert_state DROP COLUMN ending', ['alert_state.ending is gone']],
  [
    'ALTER TABLE project ALTER COLUMN name TYPE varchar(9)',
    ['project.name is character varying(9) instead of text'],
  ],
  ['ALTER TABLE video_job ALTER COLUMN holder SET NOT NULL', ['video_job.holder is required now']],
  ['ALTER TABLE owner ADD COLUMN host text NOT NULL', ['owner.host is new and must be given']],
  ['DROP FUNCTION log_month_work', ['log_month_work() is gone or returns something else']],
  [
    'DROP FUNCTION usage_recount; CREATE FUNCTION usage_recount() RETURNS bigint LANGUAGE sql RETURN 1',
    ['usage_recount() is gone or returns something else'],
  ],
];

test('a migration that takes something away or demands something is found', async () => {
  await migrate(database, await readMigrations());
  for (const [sql, breaks] of CHANGES) {
    const earlier = await readInterface();
    await database.query({ text: sql });
    assert.deepEqual(findBreaks(earlier, await readInterface()), breaks, sql);
  }
});
