import type { Queryable } from './database.ts';

const FIND = 'SELECT value FROM instance WHERE key = $1';
const KEEP = `
  WITH created AS (INSERT INTO instance (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING RETURNING value)
  SELECT value FROM created UNION ALL SELECT value FROM instance WHERE key = $1`;
const REPLACE =
  'INSERT INTO instance (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value';

/** A value that all gateways on a database share. */
export async function findInstanceValue(database: Queryable, key: string): Promise<string | undefined> {
  const { rows } = await database.query<{ value: string }>({ text: FIND, values: [key] });
  return rows[0]?.value;
}

/** Stores a value if there is none yet; returns the stored one. */
export async function keepInstanceValue(database: Queryable, key: string, value: string): Promise<string> {
  const { rows } = await database.query<{ value: string }>({ text: KEEP, values: [key, value] });
  // Of two concurrent first inserts, the loser sees no row in its own statement, but does in the next.
  return rows[0]?.value ?? keepInstanceValue(database, key, value);
}

/** Locks the row, which serializes concurrent replacements. */
export async function replaceInstanceValue(database: Queryable, key: string, value: string): Promise<void> {
  await database.query({ text: REPLACE, values: [key, value] });
}
