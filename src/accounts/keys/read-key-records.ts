import type { Queryable } from '#storage';
import { epochMs } from '#storage';
import type { RecurringLimit } from '../ledger/recurring-limit.ts';
import { toRecurringLimit } from '../ledger/recurring-usage.ts';
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
  recurring_period: RecurringLimit['period'] | null;
  disabled: boolean;
  created_at: number;
  expires_at: number | null;
  previous_expires_at: number | null;
  last_used_at: number | null;
  rate_limits: unknown;
  routing: RoutingChoice | null;
}

const COLUMNS = `
  SELECT k.id, p.organization_id, p.id AS project_id, k.member_id, k.label, k.masked, m.used::text AS used, m.lim::text AS lim,
    r.lim::text AS recurring_lim, r.period AS recurring_period,
    k.disabled_at IS NOT NULL AS disabled, k.rate_limits, k.routing,
    ${epochMs('k.created_at')} AS created_at,
    ${epochMs('k.expires_at')} AS expires_at,
    CASE WHEN k.previous_expires_at > clock_timestamp()
      THEN ${epochMs('k.previous_expires_at')} END AS previous_expires_at,
    (SELECT ${epochMs('max(l.started_at)')} FROM request_log l WHERE l.key_id = k.id) AS last_used_at`;
/** `LIMIT` makes them lookups for each key of the page, whatever the tables' statistics say. */
const JOINS = `
  CROSS JOIN LATERAL (SELECT * FROM project WHERE id = k.project_id LIMIT 1) AS p
  CROSS JOIN LATERAL (SELECT * FROM meter WHERE kind = 'key' AND subject_id = k.id LIMIT 1) AS m
  LEFT JOIN LATERAL (SELECT * FROM recurring_limit WHERE key_id = k.id LIMIT 1) AS r ON true
  ORDER BY k.created_at, k.id`;

/** Selects keys; by default all that are not deleted. */
interface KeyFilter extends Page {
  keyId?: string;
  organizationId?: string;
  projectId?: string;
  memberId?: string;
}

export async function readKeyRecords(database: Queryable, filter: KeyFilter): Promise<KeyRecord[]> {
  const { text, values } = composePage(filter);
  const { rows } = await database.query<KeyRow>({ text: `${COLUMNS} FROM (${text}) AS k ${JOINS}`, values });
  return rows.map(toKeyRecord);
}

/**
 * A page of keys in the order of an index, before anything else is looked up for them. Of an organization, a page of each
 * project is read, and the first of them all are the page. `= ANY` instead of `=`, and the project at the start of the order,
 * leave PostgreSQL the index by project: by the one of all keys it would read those of others, too.
 */
function composePage(filter: KeyFilter): { text: string; values: unknown[] } {
  const { keyId, organizationId, projectId, memberId, ...page } = filter;
  const owner = { 'p.organization_id =': organizationId, 'p.id =': projectId };
  const filters = { 'k.id =': keyId, 'k.member_id =': memberId };
  const list = {
    table: 'api_key k JOIN project p ON p.id = k.project_id',
    alias: 'k',
    select: 'SELECT k.* FROM api_key k WHERE k.deleted_at IS NULL',
    filters,
    startFilters: { ...filters, ...owner },
    searched: 'k.label',
  };
  if (organizationId === undefined && projectId === undefined) return composeList(list, page);
  const own = { select: `${list.select} AND k.project_id = ANY (ARRAY[p.id])`, within: 'project_id' };
  const { text, values } = composeList({ ...list, ...own }, page);
  const select = `SELECT k.* FROM project p CROSS JOIN LATERAL (${text}) AS k WHERE true`;
  const { limit } = page;
  return composeList({ ...list, select, values, filters: owner }, limit === undefined ? {} : { limit });
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
    recurringLimit: toRecurringLimit(row),
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
