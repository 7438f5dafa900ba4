import type { Queryable } from './database.ts';
import type { Migration } from './read-migrations.ts';
import { createHash } from 'node:crypto';
import { EARLIER_CHECKSUMS } from './earlier-checksums.ts';
import { MigrationRefused } from './migration-refused.ts';

/** An applied migration. */
export type AppliedMigration = Pick<Migration, 'name' | 'checksum'>;

/** SHA-256 of the migrations of the last version before 0.2, one line of name and checksum each. */
const EARLIER = 'b37186b61f8778e1bd680e5a7df9f28ce56b7478d7423b338bd413c4c666467c';
const LAST_NAME = '0038_catalogue_feed';
/** The last file of that schema in this version. */
const LAST_OF_SCHEMA = '0020_checks';

/**
 * The migrations of this version that the applied ones amount to: versions before 0.2 built the schema of `0001` to `0020`
 * in 38 migrations, and later ones had functions in their checksums. `undefined` if the schema was built by only some of the 38, or
 * by others.
 */
export function toCurrentSteps(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): readonly AppliedMigration[] | undefined {
  return isCurrent(applied, migrations) ? translate(applied, migrations) : findSchema(applied, migrations);
}

/** Earlier checksums as those of today, without the migrations that only replaced functions. */
function translate(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): readonly AppliedMigration[] {
  const current = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  return applied.flatMap(({ name, checksum }) => {
    if (EARLIER_CHECKSUMS[name] !== checksum) return [{ name, checksum }];
    const known = current.get(name);
    return known === undefined ? [] : [{ name, checksum: known }];
  });
}

const isCurrent = ([first]: readonly AppliedMigration[], migrations: readonly Migration[]): boolean =>
  first === undefined || first.name === migrations[0]?.name;

function findSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): readonly Migration[] | undefined {
  const text = applied.map(({ name, checksum }) => `${name} ${checksum}\n`).join('');
  if (createHash('sha256').update(text).digest('hex') !== EARLIER) return undefined;
  return migrations.filter(({ name }) => name <= LAST_OF_SCHEMA);
}

/** Records the current names and checksums of a schema that was built before 0.2, or refuses it. */
export async function adoptEarlier(
  session: Queryable,
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): Promise<readonly AppliedMigration[]> {
  if (isCurrent(applied, migrations)) return translate(applied, migrations);
  const steps = findSchema(applied, migrations);
  if (steps === undefined) throw createRefusal(applied);
  await session.query({ text: 'BEGIN' });
  await session.query({ text: 'DELETE FROM schema_migration' });
  await session.query({
    text: 'INSERT INTO schema_migration (name, checksum) SELECT * FROM unnest($1::text[], $2::text[])',
    values: [steps.map(({ name }) => name), steps.map(({ checksum }) => checksum)],
  });
  await session.query({ text: 'COMMIT' });
  return steps;
}

function createRefusal(applied: readonly AppliedMigration[]): MigrationRefused {
  return new MigrationRefused(
    `The database was created by a version before 0.2, and its last migration is ${applied.at(-1)?.name ?? 'none'}. ` +
      `This version adopts such a database only with all migrations up to ${LAST_NAME}. ` +
      'Nothing was changed. Start the last version before 0.2 on it once, then this one.',
  );
}
