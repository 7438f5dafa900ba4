import type { Queryable } from '#storage';
import type { Table } from './table.ts';

const WITH_TRIGGERS = `
  SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY ($1)`;

/**
 * Runs work of a transaction with the triggers of these tables off: what they write, such as the audit log, is copied
 * itself. Foreign keys are still checked.
 */
export async function withoutTriggers(
  session: Queryable,
  tables: readonly Table[],
  work: () => Promise<void>,
): Promise<void> {
  const values = [tables.map(({ name }) => name)];
  const { rows } = await session.query<{ name: string }>({ text: WITH_TRIGGERS, values });
  for (const { name } of rows) await session.query({ text: `ALTER TABLE ${name} DISABLE TRIGGER USER` });
  await work();
  for (const { name } of rows) await session.query({ text: `ALTER TABLE ${name} ENABLE TRIGGER USER` });
}
