import type { Statement } from '#storage';
import { epochMs } from '#storage';

/** How far usage is counted. Moments are milliseconds since the Unix epoch, some of them infinite. */
export interface UsageState {
  /** Rows before it are dropped. */
  retentionCutoff: number;
  /** Hours before it are summed up. */
  countedThrough: number;
  /** Hours before it were summed up without details. */
  detailedFrom: number;
  /** Hours before it were summed up without times. */
  timedFrom: number;
  /** Counted hours that are out of date. */
  lateHours: readonly number[];
  /** Days that are missing or out of date in sums per day. */
  openDays: readonly number[];
}

export const USAGE_STATE: Statement = {
  text: `SELECT ${epochMs('retention_cutoff')} AS retention_cutoff, ${epochMs('counted_through')} AS counted_through,
      ${epochMs('detailed_from')} AS detailed_from, ${epochMs('timed_from')} AS timed_from,
      ARRAY(SELECT DISTINCT ${epochMs('hour')} FROM usage_late WHERE hour >= retention_cutoff AND hour < counted_through) AS late_hours,
      ARRAY(SELECT ${epochMs('day')} FROM usage_open) AS open_days
    FROM log_state`,
};

export interface StoredUsageState {
  retention_cutoff: number;
  counted_through: number;
  detailed_from: number;
  timed_from: number;
  late_hours: number[];
  open_days: number[];
}

export function readUsageState(row: StoredUsageState | undefined): UsageState {
  if (!row) throw new Error('the log has no state');
  return {
    retentionCutoff: row.retention_cutoff,
    countedThrough: row.counted_through,
    detailedFrom: row.detailed_from,
    timedFrom: row.timed_from,
    lateHours: row.late_hours,
    openDays: row.open_days,
  };
}
