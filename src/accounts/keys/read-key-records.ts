import type { Queryable } from '#storage';
import type { RecurringLimit } from '../ledger/recurring-limit.ts';
import type { KeyRecord } from './key-record.ts';
import type { RoutingChoice } from '../routing/routing-choice.ts';
import { parseRateLimits } from '../limits/rate-limits.ts';
import { type Page, composeList } from '../page.ts';
import { createNotFound } from '../read-input.ts';

interface KeyRow {
  id: string;
  organization_id: string;
  project_id: string;
  member_id: string | null;
  label: string;
  masked: string;
  used: string;
  lim: string | null;
  recurring_lim: string | null;
  period: RecurringLimit['period'] | null;
  disabled: boolean;
  created_at: number;
  expires_at: number | null;
  previous_expires_at: number | null;
  last_used_at: number | null;
  rate_limits: unknown;
  routing: RoutingChoice | null;
}

const LIST_KEYS = {
  select: `
  SELECT k.id, p.organization_id, p.id AS project_id, k.member_id, k.label, k.masked, m.used::text AS used, m.lim::text AS lim,
    r.lim::text AS recurring_lim, r.period,
    k.disabled_at IS NOT NULL AS disabled, k.rate_limits, k.routing,
    round(extract(epoch FROM k.created_at) * 1000)::float8 AS created_at,
    round(extract(epoch FROM k.expires_at) * 1000)::float8 AS expires_at,
    CASE WHEN k.previous_expires_at > clock_timestamp()
      THEN round(extract(epoch FROM k.previous_expires_at) * 1000)::float8 END AS previous_expires_at,
    (SELECT round(extract(epoch FROM max(l.started_at)) * 1000)::float8 FROM request_log l WHERE l.key_id = k.id) AS last_used_at
  FROM api_key k
  JOIN project p ON p.id = k.project_id JOIN meter m ON m.kind = 'key' AND m.subject_id = k.id
  LEFT JOIN recurring_limit r ON r.key_id = k.id
  WHERE k.deleted_at IS NULL`,
  table: 'api_key',
  alias: 'k',
  searched: 'k.label',
};

/** Selects keys; by default all that are not deleted. */
interface KeyFilter extends Page {
  keyId?: string;
  organizationId?: string;
  projectId?: string;
  memberId?: string;
}

export async function readKeyRecords(database: Queryable, filter: KeyFilter): Promise<KeyRecord[]> {
  const { keyId, organizationId, projectId, memberId, ...page } = filter;
  const filters = {
    'k.id =': keyId,
    'p.organization_id =': organizationId,
    'p.id =': projectId,
    'k.member_id =': memberId,
  };
  const { rows } = await database.query<KeyRow>(composeList({ ...LIST_KEYS, filters }, page));
  return rows.map(toKeyRecord);
}

export async function getKeyRecord(database: Queryable, keyId: string): Promise<KeyRecord> {
  const [key] = await readKeyRecords(database, { keyId });
  if (key === undefined) throw createNotFound('key');
  return key;
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
    routing: row.routing ?? {},
    disabled: row.disabled,
    createdAt: row.created_at,
  };
  if (row.member_id !== null) record.memberId = row.member_id;
  if (row.expires_at !== null) record.expiresAt = row.expires_at;
  if (row.previous_expires_at !== null) record.previousSecretExpiresAt = row.previous_expires_at;
  if (row.last_used_at !== null) record.lastUsedAt = row.last_used_at;
  return record;
}
