import type { JsonObject } from '#base';
import type { Queryable } from '#storage';
import { epochMs } from '#storage';
import { addConditions } from '../page.ts';

/** One change by an operator: actor, time, action, subject. */
export interface AuditEntry {
  id: string;
  /** Milliseconds since the Unix epoch. */
  recordedAt: number;
  /** An admin key's id, `command line`, or the name of another program that was connected to the database. */
  actor: string;
  /** The person, where the actor is the session of someone who signed in by OpenID Connect. */
  person?: string;
  requestId?: string;
  /** Such as `key.updated`. */
  action: string;
  subjectId: string;
  organizationId?: string;
  /** Of an update only what differs; contains no secrets. */
  before?: JsonObject;
  after?: JsonObject;
}

interface AuditFilter {
  organizationId?: string;
  actor?: string;
  action?: string;
  subjectId?: string;
  requestId?: string;
  /** Milliseconds since the Unix epoch. */
  since?: number;
  /** The id of the last entry of the previous page. */
  after?: string;
  limit?: number;
}

/** The audit log for reading; only the database writes it. */
export interface AuditStore {
  /** Newest first. */
  listAudit(filter: AuditFilter): Promise<AuditEntry[]>;
}

interface AuditRow {
  id: string;
  recorded_at: number;
  actor: string;
  person: string | null;
  request_id: string | null;
  action: string;
  subject_id: string;
  organization_id: string | null;
  before: JsonObject | null;
  after: JsonObject | null;
}

const PREFIX = 'audit_';
const USUAL_LIMIT = 100;

export function createAuditStore({ database }: { database: Queryable }): AuditStore {
  return {
    listAudit: async (filter) => {
      const { rows } = await database.query<AuditRow>(select(filter));
      return rows.map(toEntry);
    },
  };
}

function select(filter: AuditFilter): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const conditions = addConditions(values, {
    'organization_id =': filter.organizationId,
    'actor =': filter.actor,
    'action =': filter.action,
    'subject_id =': filter.subjectId,
    'request_id =': filter.requestId,
    'recorded_at >=': filter.since === undefined ? undefined : new Date(filter.since),
    'id <': filter.after === undefined ? undefined : readPosition(filter.after),
  });
  const limit = values.push(filter.limit ?? USUAL_LIMIT);
  return {
    text: `
      SELECT id::text, ${epochMs('recorded_at')} AS recorded_at, actor, person, request_id, action,
        subject_id, organization_id, before, after
      FROM audit_log WHERE true${conditions} ORDER BY audit_log.id DESC LIMIT $${limit}`,
    values,
  };
}

/** The number in an entry's id; a malformed id sorts after every entry. */
function readPosition(id: string): string {
  return new RegExp(`^${PREFIX}(\\d{1,18})$`).exec(id)?.[1] ?? '0';
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    id: `${PREFIX}${row.id}`,
    recordedAt: row.recorded_at,
    actor: row.actor,
    action: row.action,
    subjectId: row.subject_id,
    ...(row.person !== null && { person: row.person }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(row.organization_id !== null && { organizationId: row.organization_id }),
    ...(row.before !== null && { before: row.before }),
    ...(row.after !== null && { after: row.after }),
  };
}
