import type { Queryable } from '#storage';
import type { WindowClock } from '../ledger/window-clock.ts';
import {
  type Directory,
  type KeyRecord,
  type NewKey,
  PERIODS,
  type RecurringLimit,
} from '../organizations/directory.ts';
import { parseRateLimits, readRateLimitChange } from '../limits/rate-limits.ts';
import { toPageValues } from '../page.ts';
import { createInvalid, createNotFound, readAmount, readName } from '../read-input.ts';
import type { DigestKey } from './key-digest.ts';
import { createKeyText, maskKey, publicIdOf } from './key-text.ts';

export interface KeyBookPorts {
  database: Queryable;
  digest: DigestKey;
  windowClock: WindowClock | undefined;
  /** Called when this very process changed what a snapshot may hold. */
  onChange(change: string): void;
}

type KeyBook = Pick<
  Directory,
  'createKey' | 'getKey' | 'listKeys' | 'disableKey' | 'enableKey' | 'setKeyLimit' | 'setRecurringLimit'
>;

interface KeyRow {
  id: string;
  organization_id: string;
  project_id: string;
  label: string;
  masked: string;
  used: string;
  lim: string | null;
  recurring_lim: string | null;
  period: RecurringLimit['period'] | null;
  disabled: boolean;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  rate_limits: unknown;
}

export function createKeyBook(ports: KeyBookPorts): KeyBook {
  const { database } = ports;
  const setDisabled = async (keyId: string, disabled: boolean): Promise<void> => {
    const { rows } = await database.query<{ id: string }>({
      text: `
        UPDATE api_key SET disabled_at = CASE WHEN $2::boolean THEN COALESCE(disabled_at, now()) END
        WHERE id = $1 AND deleted_at IS NULL RETURNING id`,
      values: [keyId, disabled],
    });
    if (rows.length === 0) throw createNotFound('key');
    ports.onChange(`api_key:${keyId}`);
  };

  return {
    createKey: (input) => createKey(ports, input),
    getKey: (keyId) => getKey(database, keyId),
    listKeys: ({ organizationId, projectId, ...page }) =>
      readKeys(database, LISTED, [organizationId ?? null, projectId ?? null, ...toPageValues(page)]),
    disableKey: (keyId) => setDisabled(keyId, true),
    enableKey: (keyId) => setDisabled(keyId, false),
    setKeyLimit: async (keyId, limit) => {
      const { rows } = await database.query<{ id: string }>({
        text: `UPDATE meter SET lim = $2 WHERE kind = 'key' AND subject_id = $1 RETURNING subject_id AS id`,
        values: [keyId, limit === null ? null : readAmount('limit', limit, 0n).toString()],
      });
      if (rows.length === 0) throw createNotFound('key');
    },
    setRecurringLimit: (keyId, limit) => setRecurringLimit(ports, keyId, limit),
  };
}

async function setRecurringLimit(
  { database, windowClock }: KeyBookPorts,
  keyId: string,
  limit: RecurringLimit | null,
): Promise<void> {
  const { amount, period } = limit === null ? { amount: null, period: null } : readRecurringLimit(limit);
  const { rows } = await database.query<{ done: boolean }>({
    text: 'SELECT recurring_limit_set($1, $2, $3, $4) AS done',
    values: [keyId, amount?.toString() ?? null, period, windowClock?.now() ?? null],
  });
  if (rows[0]?.done !== true) throw createNotFound('key');
}

function readRecurringLimit({ amount, period }: RecurringLimit): RecurringLimit {
  if (!PERIODS.includes(period)) throw createInvalid('period', `one of ${PERIODS.join(', ')}`);
  return { amount: readAmount('recurringLimit', amount, 0n), period };
}

async function createKey(ports: KeyBookPorts, input: Parameters<Directory['createKey']>[0]): Promise<NewKey> {
  const { projectId, label, limit, expiresAt, rateLimits } = input;
  const recurring = input.recurringLimit && readRecurringLimit(input.recurringLimit);
  const secret = createKeyText('regular');
  const id = `key_${publicIdOf('regular', secret)}`;
  if (expiresAt !== undefined && !Number.isFinite(expiresAt))
    throw createInvalid('expiresAt', 'a moment in time');
  const { rows } = await ports.database.query<{ id: string }>({
    text: `
      WITH made AS (
        INSERT INTO api_key (id, project_id, label, digest, masked, expires_at, rate_limits)
        SELECT $1, id, $3, $4, $5, to_timestamp($6::float8 / 1000), $8::jsonb FROM project WHERE id = $2 RETURNING id
      ), renewing AS (
        INSERT INTO recurring_limit (key_id, lim, period) SELECT id, $9, $10 FROM made WHERE $9::numeric IS NOT NULL
      )
      INSERT INTO meter (kind, subject_id, lim, renews) SELECT 'key', id, $7, $9::numeric IS NOT NULL FROM made
      RETURNING subject_id AS id`,
    values: [
      id,
      projectId,
      readName('label', label),
      ports.digest(secret),
      maskKey('regular', secret),
      expiresAt ?? null,
      limit === undefined ? null : readAmount('limit', limit, 0n).toString(),
      rateLimits === undefined ? null : JSON.stringify(readRateLimitChange(rateLimits)),
      recurring?.amount.toString() ?? null,
      recurring?.period ?? null,
    ],
  });
  if (rows.length === 0) throw createNotFound('project');
  ports.onChange(`api_key:${id}`);
  return { secret, key: await getKey(ports.database, id) };
}

async function getKey(database: Queryable, keyId: string): Promise<KeyRecord> {
  const [key] = await readKeys(database, 'k.id = $1', [keyId]);
  if (key === undefined) throw createNotFound('key');
  return key;
}

const LISTED = `
  ($1::text IS NULL OR p.organization_id = $1) AND ($2::text IS NULL OR p.id = $2)
  AND ($3::text IS NULL OR (k.created_at, k.id) > (SELECT c.created_at, c.id FROM api_key c WHERE c.id = $3))
  ORDER BY k.created_at, k.id LIMIT $4`;

const KEY_COLUMNS = `
  k.id, p.organization_id, p.id AS project_id, k.label, k.masked, m.used::text AS used, m.lim::text AS lim,
  r.lim::text AS recurring_lim, r.period,
  k.disabled_at IS NOT NULL AS disabled, k.rate_limits,
  round(extract(epoch FROM k.created_at) * 1000)::float8 AS created_at,
  round(extract(epoch FROM k.expires_at) * 1000)::float8 AS expires_at,
  (SELECT round(extract(epoch FROM max(l.started_at)) * 1000)::float8 FROM request_log l WHERE l.key_id = k.id) AS last_used_at`;

async function readKeys(database: Queryable, condition: string, values: unknown[]): Promise<KeyRecord[]> {
  const { rows } = await database.query<KeyRow>({
    text: `
      SELECT ${KEY_COLUMNS} FROM api_key k
      JOIN project p ON p.id = k.project_id JOIN meter m ON m.kind = 'key' AND m.subject_id = k.id
      LEFT JOIN recurring_limit r ON r.key_id = k.id
      WHERE k.deleted_at IS NULL AND ${condition}`,
    values,
  });
  return rows.map(toKeyRecord);
}

function toKeyRecord(row: KeyRow): KeyRecord {
  const record: KeyRecord = {
    id: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    label: row.label,
    masked: row.masked,
    usage: BigInt(row.used),
    limit: row.lim === null ? null : BigInt(row.lim),
    recurringLimit:
      row.recurring_lim === null || row.period === null
        ? null
        : { amount: BigInt(row.recurring_lim), period: row.period },
    rateLimits: parseRateLimits(row.rate_limits),
    disabled: row.disabled,
    createdAt: row.created_at,
  };
  if (row.expires_at !== null) record.expiresAt = row.expires_at;
  if (row.last_used_at !== null) record.lastUsedAt = row.last_used_at;
  return record;
}
