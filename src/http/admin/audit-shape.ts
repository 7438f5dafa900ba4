import type { AuditEntry } from '#accounts';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { encodeTime, orNull, timeShape } from './fields.ts';

const members = Type.Object({}, { additionalProperties: true });

export const auditShape = Type.Object({
  object: Type.Literal('audit_log'),
  id: Type.String(),
  created_at: timeShape,
  actor: Type.String({ description: "An admin key's id, `command line`, or another program's name." }),
  action: Type.String({ description: 'Such as `key.updated`.' }),
  subject_id: Type.String(),
  organization_id: orNull(Type.String()),
  request_id: orNull(Type.String()),
  before: orNull(members),
  after: orNull(members, 'Of an update only what differs.'),
});

export function encodeAudit(entry: AuditEntry): JsonObject {
  return {
    object: 'audit_log',
    id: entry.id,
    created_at: encodeTime(entry.recordedAt),
    actor: entry.actor,
    action: entry.action,
    subject_id: entry.subjectId,
    organization_id: entry.organizationId ?? null,
    request_id: entry.requestId ?? null,
    before: entry.before ?? null,
    after: entry.after ?? null,
  };
}
