import type { Migration } from './read-migrations.ts';
import { EARLIER_CHECKSUMS } from './earlier-checksums.ts';

/** An applied migration. */
export type AppliedMigration = Pick<Migration, 'name' | 'checksum'>;

/** Whether a version before 0.2 created the database, whose schema came from other migrations. */
export function isBefore02(
  [first]: readonly AppliedMigration[],
  migrations: readonly AppliedMigration[],
): boolean {
  return first !== undefined && first.name !== migrations[0]?.name;
}

/** Earlier checksums as those of today, without the migrations that only replaced functions. */
export function toCurrentSteps(
  applied: readonly AppliedMigration[],
  migrations: readonly AppliedMigration[],
): readonly AppliedMigration[] {
  const current = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  return applied.flatMap(({ name, checksum }) => {
    if (EARLIER_CHECKSUMS[name] !== checksum) return [{ name, checksum }];
    const known = current.get(name);
    return known === undefined ? [] : [{ name, checksum: known }];
  });
}
