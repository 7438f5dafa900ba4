import type { StorePorts } from '../store-ports.ts';
import { type RecurringLimit, readRecurringLimit } from '../ledger/recurring-limit.ts';
import { selectRecurring } from '../ledger/recurring-usage.ts';
import type { SharedMeter } from '../ledger/subject.ts';
import { createNotFound } from '../read-input.ts';

/** The limit per period of a project or an organization `subject`: its columns and where they are from; `$1` is the time. */
export function selectSharedLimit(kind: SharedMeter, subject: string): { columns: string; join: string } {
  const { columns, join } = selectRecurring({ kind, subject, limit: 's.lim', period: 's.period' });
  return { columns, join: `LEFT JOIN shared_limit s ON s.subject_id = ${subject} ${join}` };
}

interface SharedLimitOwner {
  kind: SharedMeter;
  id: string;
  organizationId: string;
}

/** Sets what all its keys may spend together per period; `null` removes the limit. Usage of the current period stays. */
export async function changeSharedLimit(
  { database, windowClock }: Pick<StorePorts, 'database' | 'windowClock'>,
  { kind, id, organizationId }: SharedLimitOwner,
  limit: RecurringLimit | null,
): Promise<void> {
  const { amount, period } = limit === null ? { amount: null, period: null } : readRecurringLimit(limit);
  const { rows } = await database.query<{ done: boolean }>({
    text: 'SELECT shared_limit_set($1, $2, $3, $4, $5, $6) AS done',
    values: [kind, id, organizationId, amount?.toString() ?? null, period, windowClock?.now() ?? null],
  });
  if (rows[0]?.done !== true) throw createNotFound('organization');
}
