import type { Queryable } from '#storage';
import type { Table } from './table.ts';

/** Migrations and commands create rows there that mean nothing yet. */
const PREFILLED = ['log_state', 'instance', 'price_version'];

/** Throws if a database holds anything of an installation. */
export async function refuseRows(database: Queryable, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables.filter((table) => !PREFILLED.includes(table.name))) {
    const text = `SELECT EXISTS (SELECT FROM ${name}) AS filled`;
    const { rows } = await database.query<{ filled: boolean }>({ text });
    if (rows[0]?.filled === true)
      throw new Error(
        `the database is not empty: its table ${name} has rows; use an empty database or data directory`,
      );
  }
}

export async function clearPrefilled(database: Queryable): Promise<void> {
  for (const name of PREFILLED) await database.query({ text: `DELETE FROM ${name}` });
}
