import type { Queryable } from './database.ts';
import type { Migration } from './read-migrations.ts';
import { createHash } from 'node:crypto';
import { MigrationRefused } from './migration-refused.ts';

/** A migration that a database has. */
export type Applied = Pick<Migration, 'name' | 'checksum'>;

/** SHA-256 of `0001_accounts` as version 0.1 had it: its databases begin with it, and no later one does. */
const FIRST = 'fa965fd2744118251efa6e086d765ca368d3f3e4f440d4faf0fbd445c12e32e6';
/** SHA-256 of all its migrations, a line of name and checksum for each. */
const ALL = '0d1c9f33b287e422b71d10bf913510d231f595e7a98a79e0f39776cbeee8eeb8';
const LAST_NAME = '0043_plan_none';
/** The last of the files that its schema was written in anew. */
const LAST_REWRITTEN = '0015_checks';

/**
 * Version 0.1 made its schema in 29 migrations, which are one schema in fewer files now. A database that has all of them has
 * that schema, so the new files are recorded as applied; its rows stay where they are.
 */
export async function adoptEarlier(
  session: Queryable,
  applied: readonly Applied[],
  migrations: readonly Migration[],
): Promise<readonly Applied[]> {
  if (applied[0]?.checksum !== FIRST) return applied;
  refuseUnfinished(applied);
  const adopted = migrations.filter(({ name }) => name <= LAST_REWRITTEN);
  await session.query({ text: 'BEGIN' });
  await session.query({ text: 'DELETE FROM schema_migration' });
  await session.query({
    text: 'INSERT INTO schema_migration (name, checksum) SELECT * FROM unnest($1::text[], $2::text[])',
    values: [adopted.map(({ name }) => name), adopted.map(({ checksum }) => checksum)],
  });
  await session.query({ text: 'COMMIT' });
  return adopted;
}

function refuseUnfinished(applied: readonly Applied[]): void {
  const text = applied.map(({ name, checksum }) => `${name} ${checksum}\n`).join('');
  if (createHash('sha256').update(text).digest('hex') === ALL) return;
  throw new MigrationRefused(
    `The database was made by a version before 0.2, and its last migration is ${applied.at(-1)?.name ?? 'none'}. ` +
      `This version takes over such a database only where it has every migration of 0.1, the last being ${LAST_NAME}. ` +
      'Nothing was changed. Start the last 0.1 version on it once, then this one, or use an empty database.',
  );
}
