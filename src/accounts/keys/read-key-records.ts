import type { Queryable, RecordOf } from '#storage';
import { amount, column, defineRecord, ifSet, moment, orNull } from '#storage';
import { toRecurringLimit } from '../meters/recurring-usage.ts';
import type { RoutingChoice } from '../routing/routing-choice.ts';
import { parseRateLimits } from '../limits/rate-limits.ts';
import { type Page, composeList } from '../page.ts';
import { createNotFound } from '../read-input.ts';

const KEY = defineRecord(
  {
    id: column<string>('k.id'),
    organizationId: column<string>('p.organization_id'),
    projectId: column<string>('p.id'),
    /** The member it belongs to. */
    memberId: ifSet(column<string>('k.member_id')),
    label: column<string>('k.label'),
    /** `slc_…abcd` */
    masked: column<string>('k.masked'),
    usage: amount('m.used'),
    limit: orNull(amount('m.lim')),
    /** The key's own; its organization's apply as well. */
    rateLimits: column('k.rate_limits', parseRateLimits),
    /** The key's own; its project's applies as well. */
    routing: column<RoutingChoice>(`COALESCE(k.routing, '{}')`),
    disabled: column<boolean>('k.disabled_at IS NOT NULL'),
    createdAt: moment('k.created_at'),
    expiresAt: ifSet(moment('k.expires_at')),
    /** Until when the previous secret is valid too; absent if it is not. */
    previousSecretExpiresAt: ifSet(
      moment('CASE WHEN k.previous_expires_at > clock_timestamp() THEN k.previous_expires_at END'),
    ),
    lastUsedAt: ifSet(moment('(SELECT max(l.started_at) FROM request_log l WHERE l.key_id = k.id)')),
  },
  {
    columns: 'r.lim::text AS recurring_lim, r.period AS recurring_period',
    read: (row: Parameters<typeof toRecurringLimit>[0]) => ({ recurringLimit: toRecurringLimit(row) }),
  },
);

/** A key as listed, without its text. */
export type KeyRecord = RecordOf<typeof KEY>;

/** Keys that are not deleted. */
export const KEYS = { what: 'key', table: 'api_key k', alias: 'k', where: 'k.deleted_at IS NULL' };

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
  const { rows } = await database.query<object>({
    text: `SELECT ${KEY.columns} FROM (${text}) AS k ${JOINS}`,
    values,
  });
  return rows.map((row) => KEY.read(row));
}

/**
 * A page of keys in the order of an index, before anything else is looked up for them. For an organization, a page of
 * each project is read, and their first keys are the page. `= ANY` instead of `=`, and the project at the start of the
 * order, make PostgreSQL use the index by project: the one of all keys would read those of other organizations too.
 */
function composePage(filter: KeyFilter): { text: string; values: unknown[] } {
  const { keyId, organizationId, projectId, memberId, ...page } = filter;
  const owner = { 'p.organization_id =': organizationId, 'p.id =': projectId };
  const filters = { 'k.id =': keyId, 'k.member_id =': memberId };
  const list = {
    table: 'api_key k JOIN project p ON p.id = k.project_id',
    alias: 'k',
    select: `SELECT k.* FROM ${KEYS.table} WHERE ${KEYS.where}`,
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
