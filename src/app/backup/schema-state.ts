import { type AppliedMigration, type Migration, type Queryable, toCurrentSteps } from '#storage';

/** The migrations of a database, in order; `undefined` if it has no table of this program. */
export async function readAppliedMigrations(database: Queryable): Promise<AppliedMigration[] | undefined> {
  const { rows: found } = await database.query<{ found: boolean }>({
    text: `SELECT to_regclass('schema_migration') IS NOT NULL AS found`,
  });
  if (found[0]?.found !== true) return undefined;
  const { rows } = await database.query<AppliedMigration>({
    text: 'SELECT name, checksum FROM schema_migration ORDER BY name',
  });
  return rows;
}

/** The migrations that lead to this state; `undefined` if those of this program do not. */
export function findSteps(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): Migration[] | undefined {
  const current = toCurrentSteps(applied, migrations);
  const steps = migrations.slice(0, current.length);
  const isSame = steps.length === current.length && steps.every((step, at) => isEqual(step, current[at]));
  return isSame ? steps : undefined;
}

function isEqual(one: AppliedMigration, other: AppliedMigration | undefined): boolean {
  return one.name === other?.name && one.checksum === other.checksum;
}
