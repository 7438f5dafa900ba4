import type { Queryable } from '#storage';

/** A table whose rows are copied; a partitioned one with all its partitions. */
export interface Table {
  name: string;
  columns: string[];
}

/** A month of a partitioned table. */
export interface Partition {
  parent: string;
  /** The first day, such as `2026-11-01`. */
  month: string;
}

export interface Sequence {
  name: string;
  /** As decimal text. */
  value: string;
}

/**
 * Not copied: the migrations are part of the manifest, processes do not move with their database, and the health of
 * mappings is measured again.
 */
const LEFT_OUT = ['schema_migration', 'owner', 'mapping_health'];

const TABLES = `
  SELECT c.relname AS name, array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relname <> ALL ($1)
  GROUP BY c.relname ORDER BY c.relname`;

const REFERENCES = `
  SELECT f.conrelid::regclass::text AS source, f.confrelid::regclass::text AS target FROM pg_constraint f
  WHERE f.contype = 'f' AND f.connamespace = current_schema()::regnamespace AND f.conrelid <> f.confrelid AND f.conparentid = 0`;

/** The tables to copy, each after those that it refers to. */
export async function listTables(database: Queryable): Promise<Table[]> {
  const { rows: tables } = await database.query<Table>({ text: TABLES, values: [LEFT_OUT] });
  const { rows: references } = await database.query<{ source: string; target: string }>({ text: REFERENCES });
  const byName = new Map(tables.map((table) => [table.name, table]));
  const sorted = new Set<Table>();
  const add = (table: Table): void => {
    if (sorted.has(table)) return;
    for (const { source, target } of references) {
      const needed = source === table.name ? byName.get(target) : undefined;
      if (needed) add(needed);
    }
    sorted.add(table);
  };
  tables.forEach(add);
  return [...sorted];
}

/** The months that tables are partitioned by. */
export async function listPartitions(database: Queryable): Promise<Partition[]> {
  const { rows } = await database.query<Partition>({
    text: `SELECT t.name AS parent, to_char(p.starts_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS month
      FROM unnest(ARRAY['request_log', 'request_payload']) AS t (name), log_partitions(t.name) AS p ORDER BY 1, 2`,
  });
  return rows;
}

/** Creates a month of a partitioned table, unless it exists. */
export async function createPartition(database: Queryable, { parent, month }: Partition): Promise<void> {
  const column = parent === 'request_log' ? 'started_at' : 'expires_at';
  const values = [parent, column, `${month}T00:00:00Z`];
  await database.query({ text: 'SELECT log_partition_make($1, $2, $3::timestamptz)', values });
}

/** The values that sequences have given out; one that was never used is left out. */
export async function listSequences(database: Queryable): Promise<Sequence[]> {
  const { rows } = await database.query<Sequence>({
    text: `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
  });
  return rows;
}

/** Continues where the sequences of another database ended. */
export async function setSequences(database: Queryable, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, value } of sequences)
    await database.query({ text: 'SELECT setval($1::regclass, $2::bigint)', values: [name, value] });
}

export function copyOutOf({ name, columns }: Table): string {
  return `COPY (SELECT ${columns.join(', ')} FROM ${name}) TO STDOUT`;
}

export function copyInto({ name, columns }: Table): string {
  return `COPY ${name} (${columns.join(', ')}) FROM STDIN`;
}
