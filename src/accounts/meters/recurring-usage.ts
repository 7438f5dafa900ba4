import type { PicoUsd } from '#base';
import { epochMs } from '#storage';
import type { RecurringLimit } from './recurring-limit.ts';
import type { MeterKind } from './subject.ts';

/** A limit per period and its usage. */
export interface Recurring {
  recurringLimit: RecurringLimit | null;
  /** The usage of the current period; absent if none has begun. */
  recurringUsage?: RecurringUsage;
}

export interface RecurringUsage {
  used: PicoUsd;
  /** Milliseconds since the Unix epoch. */
  resetsAt: number;
}

/** The columns of a row that `selectRecurring` selects. */
interface RecurringRow {
  recurring_lim: string | null;
  recurring_period: RecurringLimit['period'] | null;
  period_used: string | null;
  period_ends_at: number | null;
}

interface RecurringSource {
  kind: MeterKind;
  /** The column with the id of the limit's owner. */
  subject: string;
  /** The columns of the limit and its period. */
  limit: string;
  period: string;
}

/** The columns of a limit that renews, and the join that finds its current period; `$1` is the time. */
export function selectRecurring(source: RecurringSource): { columns: string; join: string } {
  const { kind, subject, limit, period } = source;
  return {
    columns: `${limit}::text AS recurring_lim, ${period} AS recurring_period, w.used::text AS period_used,
      ${epochMs('w.ends_at')} AS period_ends_at`,
    join: `CROSS JOIN ledger_now($1) AS moment
      LEFT JOIN LATERAL (
        SELECT used, ends_at FROM meter w
        WHERE ${limit} IS NOT NULL AND w.kind = '${kind}' AND w.subject_id = ${subject} AND w.ends_at >= moment
        ORDER BY w.starts_at DESC LIMIT 1
      ) AS w ON true`,
  };
}

export function toRecurringLimit({
  recurring_lim: amount,
  recurring_period: period,
}: Pick<RecurringRow, 'recurring_lim' | 'recurring_period'>): RecurringLimit | null {
  return amount === null || period === null ? null : { amount: BigInt(amount), period };
}

export function toRecurring(row: RecurringRow): Recurring {
  const { period_used: used, period_ends_at: resetsAt } = row;
  const recurring: Recurring = { recurringLimit: toRecurringLimit(row) };
  if (used !== null && resetsAt !== null) recurring.recurringUsage = { used: BigInt(used), resetsAt };
  return recurring;
}
