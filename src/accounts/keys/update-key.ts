import { GatewayError } from '#errors';
import type { PicoUsd } from '#base';
import type { Queryable } from '#storage';
import { changeRow } from '../change-row.ts';
import { changeInTransaction } from '../in-transaction.ts';
import { type RecurringLimit, readRecurringLimit } from '../meters/recurring-limit.ts';
import { assignRateLimits } from '../limits/rate-limits.ts';
import { createNotFound, readAmount, readExpiry, readName } from '../read-input.ts';
import { assignRouting } from '../routing/routing-field.ts';
import type { StorePorts } from '../store-ports.ts';
import type { KeyChanges } from './key-record.ts';
import { KEYS } from './read-key-records.ts';

export type UpdatePorts = Pick<StorePorts, 'database' | 'onChange' | 'windowClock'>;

/** Changes a key: its row, then the limits of its spending, which its meters have. */
export async function updateKey(ports: UpdatePorts, id: string, changes: KeyChanges): Promise<void> {
  const { limit, recurringLimit } = changes;
  await changeInTransaction(ports, async (all) => {
    await changeColumns(all, id, changes);
    if (limit !== undefined) await changeLimit(all.database, id, limit);
    if (recurringLimit !== undefined) await changeRecurring(all, id, recurringLimit);
  });
}

async function changeColumns(
  ports: Pick<UpdatePorts, 'database' | 'onChange'>,
  id: string,
  { label, disabled, expiresAt, rateLimits, routing }: KeyChanges,
): Promise<void> {
  if (disabled === false) await refuseRemovedMember(ports.database, id);
  await changeRow(ports, { ...KEYS, id }, [
    label !== undefined && ['label = $', readName('label', label)],
    disabled !== undefined && [
      'disabled_at = CASE WHEN $::boolean THEN COALESCE(disabled_at, now()) END',
      disabled,
    ],
    expiresAt !== undefined && [
      'expires_at = to_timestamp($::float8 / 1000)',
      expiresAt === null ? null : readExpiry(expiresAt),
    ],
    rateLimits !== undefined && assignRateLimits(rateLimits),
    routing !== undefined && assignRouting(routing),
  ]);
}

async function changeLimit(database: Queryable, id: string, limit: PicoUsd | null): Promise<void> {
  const { rowCount } = await database.query({
    text: `
      UPDATE meter SET lim = $2 FROM api_key k
      WHERE kind = 'key' AND subject_id = $1 AND k.id = subject_id AND k.deleted_at IS NULL`,
    values: [id, limit === null ? null : readAmount('limit', limit, 0n).toString()],
  });
  if (rowCount === 0) throw createNotFound('key');
}

async function changeRecurring(
  { database, windowClock }: Pick<UpdatePorts, 'database' | 'windowClock'>,
  id: string,
  limit: RecurringLimit | null,
): Promise<void> {
  const { amount, period } = limit === null ? { amount: null, period: null } : readRecurringLimit(limit);
  const { rows } = await database.query<{ done: boolean }>({
    text: 'SELECT recurring_limit_set(id, $2, $3, $4) AS done FROM api_key WHERE id = $1 AND deleted_at IS NULL',
    values: [id, amount?.toString() ?? null, period, windowClock?.now() ?? null],
  });
  if (rows[0]?.done !== true) throw createNotFound('key');
}

async function refuseRemovedMember(database: Queryable, id: string): Promise<void> {
  const { rows } = await database.query({
    text: 'SELECT FROM api_key k JOIN member b ON b.id = k.member_id WHERE k.id = $1 AND b.removed_at IS NOT NULL',
    values: [id],
  });
  if (rows.length > 0) {
    throw new GatewayError(
      'invalid_request',
      'the member this key belongs to was removed; create a new key for another member',
      { param: 'disabled' },
    );
  }
}
