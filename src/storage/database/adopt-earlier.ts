import type { Queryable } from './database.ts';
import type { Migration } from './read-migrations.ts';
import { createHash } from 'node:crypto';
import { MigrationRefused } from './migration-refused.ts';

/** An applied migration. */
export type Applied = Pick<Migration, 'name' | 'checksum'>;

/** SHA-256 of `0001_accounts` in version 0.1: its databases begin with it, and no later one does. */
const FIRST = 'fa965fd2744118251efa6e086d765ca368d3f3e4f440d4faf0fbd445c12e32e6';
/** SHA-256 of all its migrations, one line of name and checksum each. */
const ALL = '0d1c9f33b287e422b71d10bf913510d231f595e7a98a79e0f39776cbeee8eeb8';
const LAST_NAME = '0043_plan_none';
/** The last of the files that create tables; later files create the functions that use them. */
const LAST_OF_TABLES = '0007_audit';

/** Converts its tables to those of the files up to there, and drops the functions that later files create. */
const CHANGES = [
  `DROP FUNCTION
    ledger_now, plan_cycle, recurring_end, ledger_assign, ledger_assign_identity, ledger_reserve, ledger_hold_all,
    ledger_reserve_one, ledger_step, ledger_settle, ledger_resolve, ledger_unused, ledger_row, ledger_settle_late,
    ledger_assign_late, ledger_unspare, ledger_beat, ledger_lock_holds, ledger_release, ledger_sweep, ledger_entrust,
    ledger_grant, plan_set, plan_set_metered, plan_unmeter, recurring_limit_set, member_budget_set,
    running_period_set, request_log_time, request_log_decode, request_log_store, request_log_store_each,
    request_log_outline, request_log_replace, usage_hour_of, usage_day_of, usage_of_rows, usage_add, usage_close,
    usage_count, usage_mend, usage_sum_days, request_log_expire, usage_fold, request_payload_drop, ledger_check,
    ledger_check_entries, ledger_check_rows, ledger_check_jobs, request_log_check`,
  'ALTER TABLE video_event RENAME COLUMN given_up_at TO abandoned_at',
  'ALTER FUNCTION organization_supply RENAME TO organization_byok',
  'ALTER FUNCTION notify_supply RENAME TO notify_byok',
  'ALTER TABLE ledger_entry RENAME COLUMN spared TO skipped_meter_ids',
  'ALTER TABLE log_state RENAME COLUMN horizon TO retention_cutoff',
  'ALTER TABLE meter RENAME COLUMN guard_id TO lock_row_id',
  'ALTER TABLE meter RENAME CONSTRAINT meter_guard_check TO meter_lock_row_check',
];

/**
 * Version 0.1 built its schema in 29 migrations; the final state is now in `0001` to `0015`. A database that has all of
 * them keeps its tables and rows: later renames are applied, the files of tables are recorded as applied, and the files
 * of functions remain to be applied.
 */
export async function adoptEarlier(
  session: Queryable,
  applied: readonly Applied[],
  migrations: readonly Migration[],
): Promise<readonly Applied[]> {
  if (applied[0]?.checksum !== FIRST) return applied;
  refuseUnfinished(applied);
  const adopted = migrations.filter(({ name }) => name <= LAST_OF_TABLES);
  await session.query({ text: 'BEGIN' });
  for (const text of [...CHANGES, 'DELETE FROM schema_migration']) await session.query({ text });
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
    `The database was created by a version before 0.2, and its last migration is ${applied.at(-1)?.name ?? 'none'}. ` +
      `This version can only adopt such a database if it has every migration of 0.1, the last being ${LAST_NAME}. ` +
      'Nothing was changed. Start the last 0.1 version on it once, then this one, or use an empty database.',
  );
}
