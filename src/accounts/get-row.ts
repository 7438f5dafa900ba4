import type { Queryable, Statement } from '#storage';
import { createNotFound } from './read-input.ts';

/** The first row of a statement. Throws `not_found`, which names what is missing, if there is none. */
export async function getRow<Row extends object>(
  database: Queryable,
  what: string,
  statement: Statement,
): Promise<Row> {
  const { rows } = await database.query<Row>(statement);
  const [row] = rows;
  if (!row) throw createNotFound(what);
  return row;
}
