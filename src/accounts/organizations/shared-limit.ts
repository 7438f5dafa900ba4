import type { PicoUsd } from '#base';
import type { StorePorts } from '../store-ports.ts';
import { type RecurringLimit, readRecurringLimit } from '../meters/recurring-limit.ts';
import { selectRecurring } from '../meters/recurring-usage.ts';
import type { SharedMeter } from '../meters/subject.ts';
import { createNotFound, readAmount } from '../read-input.ts';

type RecurringMeter = Exclude<SharedMeter, 'project'>;

/** The limit per period of a project or an organization `subject`: its columns and where they are from; `$1` is the time. */
export function selectSharedLimit(kind: RecurringMeter, subject: string): { columns: string; join: string } {
  const { columns, join } = selectRecurring({ kind, subject, limit: 's.lim', period: 's.period' });
  return {
    columns,
    join: `LEFT JOIN shared_limit s ON s.subject_id = ${subject} AND s.kind = '${kind}' ${join}`,
  };
}

interface SharedLimitOwner<Kind extends SharedMeter> {
  kind: Kind;
  id: string;
  organizationId: string;
}

type SharedLimitPorts = Pick<StorePorts, 'database' | 'windowClock'>;

/** Sets what all its keys may spend together per period; `null` removes the limit. Usage of the current period stays. */
export function changeSharedLimit(
  ports: SharedLimitPorts,
  owner: SharedLimitOwner<RecurringMeter>,
  limit: RecurringLimit | null,
): Promise<void> {
  return setLimit(ports, owner, limit && readRecurringLimit(limit));
}

/** Sets what all keys of a project may ever spend together; `null` removes the limit. All that they used counts. */
export function changeTotalLimit(
  ports: SharedLimitPorts,
  owner: SharedLimitOwner<'project'>,
  limit: PicoUsd | null,
): Promise<void> {
  return setLimit(ports, owner, limit === null ? null : { amount: readAmount('limit', limit, 0n) });
}

/** Removes the limits of a project: while an organization has any, its requests are admitted more slowly. */
export async function endSharedLimits(ports: SharedLimitPorts, projectId: string): Promise<void> {
  const { rows } = await ports.database.query<{ kind: SharedMeter; organization_id: string }>({
    text: 'SELECT kind, organization_id FROM shared_limit WHERE subject_id = $1',
    values: [projectId],
  });
  for (const { kind, organization_id: organizationId } of rows)
    await setLimit(ports, { kind, id: projectId, organizationId }, null);
}

async function setLimit(
  { database, windowClock }: SharedLimitPorts,
  { kind, id, organizationId }: SharedLimitOwner<SharedMeter>,
  limit: { amount: PicoUsd; period?: RecurringLimit['period'] } | null,
): Promise<void> {
  const { rows } = await database.query<{ done: boolean }>({
    text: 'SELECT shared_limit_set($1, $2, $3, $4, $5, $6) AS done',
    values: [
      kind,
      id,
      organizationId,
      limit?.amount.toString() ?? null,
      limit?.period ?? null,
      windowClock?.now() ?? null,
    ],
  });
  if (rows[0]?.done !== true) throw createNotFound('organization');
}
