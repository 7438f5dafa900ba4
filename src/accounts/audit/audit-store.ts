import type { JsonObject } from '#base';
import { type Queryable, type RecordOf, column, defineRecord, ifSet, moment } from '#storage';
import { addConditions } from '../page.ts';

const PREFIX = 'audit_';
const USUAL_LIMIT = 100;

const ENTRY = defineRecord({
  id: column('id', (id) => `${PREFIX}${String(id)}`),
  recordedAt: moment('recorded_at'),
  /** An admin key's id, `command line`, or the name of another program that was connected to the database. */
  actor: column<string>('actor'),
  /** The person, where the actor is the session of someone who signed in by OpenID Connect. */
  person: ifSet(column<string>('person')),
  requestId: ifSet(column<string>('request_id')),
  /** Such as `key.updated`. */
  action: column<string>('action'),
  subjectId: column<string>('subject_id'),
  organizationId: ifSet(column<string>('organization_id')),
  /** For an update only the differing members; contains no secrets. */
  before: ifSet(column<JsonObject>('before')),
  after: ifSet(column<JsonObject>('after')),
});

/** One change by an operator: actor, time, action, subject. */
export type AuditEntry = RecordOf<typeof ENTRY>;

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

export function createAuditStore({ database }: { database: Queryable }): AuditStore {
  return {
    listAudit: async (filter) => {
      const { rows } = await database.query<object>(select(filter));
      return rows.map((row) => ENTRY.read(row));
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
      SELECT ${ENTRY.columns} FROM audit_log WHERE true${conditions} ORDER BY audit_log.id DESC LIMIT $${limit}`,
    values,
  };
}

/** The number in an entry's id; a malformed id sorts after every entry. */
function readPosition(id: string): string {
  return new RegExp(`^${PREFIX}(\\d{1,18})$`).exec(id)?.[1] ?? '0';
}
