import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { type ShownType, named, orNull } from '../resource/field-type.ts';
import { filter, resourceOf } from '../resource/resource.ts';
import { idOf, shown, text, time } from '../resource/types.ts';
import { type AuditBook, type AuditEntry, createAuditBook } from './audit-book.ts';

const { define, operation } = resourceOf<{ directory: AuditBook }, AuditEntry>();

const members: ShownType<JsonObject> = {
  typed: 'text',
  answer: Type.Object({}, { additionalProperties: true }),
  encode: (value) => value,
};

export const auditLogResource = define({
  name: 'audit_log',
  path: 'audit_logs',
  scope: 'audit',
  book: createAuditBook,
  fields: {
    recordedAt: named('created_at', time),
    actor: shown("An admin key's id, `command line`, or another program's name."),
    action: shown('Such as `key.updated`.'),
    subjectId: shown(),
    organizationId: orNull(shown()),
    requestId: orNull(shown()),
    before: orNull(members),
    after: orNull(members, 'For an update only what differs.'),
  },
  operations: {
    list: operation({
      summary: 'List changes of resources, newest first, with actor, time, and old and new values.',
      answer: 'A page of changes.',
      kind: 'page',
      input: {
        organizationId: filter(idOf('organization', ''), 'Only changes within this organization.', {
          as: '--org <id>',
          help: 'only changes within this organization',
        }),
        actor: filter(text(), 'Only changes by this admin key, or by `command line`.', {
          as: '--actor <who>',
          help: 'only changes by this admin key, or by "command line"',
        }),
        action: filter(text(), 'Only changes of this kind, such as `key.updated`.', {
          as: '--action <what>',
          help: 'only changes of this kind, such as key.updated',
        }),
        subjectId: filter(text(), 'Only changes of this resource, such as an organization or a key.', {
          as: '--subject <id>',
          help: 'only changes of this resource',
        }),
        requestId: filter(text(), 'Only changes by this request.', {
          as: '--request <id>',
          help: 'only changes by this request',
        }),
        since: filter(time, 'Only changes at this time (ISO 8601) or later.', {
          as: '--since <time>',
          help: 'only changes since 30m, 24h, 7d ago or a date',
        }),
      },
      run: ({ directory, input, page }) => directory.listAudit({ ...input, ...page }),
    }),
  },
  commands: {
    group: 'audit',
    summary: 'List changes.',
    naming: { as: '<id>', help: 'the entry’s id, as listed' },
    empty: 'no changes',
    columns: {
      time: 'recordedAt',
      who: 'actor',
      what: 'action',
      subject: 'subjectId',
      change: describeChange,
    },
    commands: [
      {
        name: 'audit',
        does: 'list',
        pageSize: 50,
        examples: ['audit', 'audit --subject key_…', 'audit --actor "command line" --since 24h --json'],
      },
    ],
  },
});

/** Of an update `limit: "5" → "7"`, else what was made or removed. */
function describeChange({ before, after }: AuditEntry): string {
  const changed = after ?? before ?? {};
  const isUpdate = before !== undefined && after !== undefined;
  return Object.keys(changed)
    .filter((name) => isUpdate || !/^(id|created_at|digest)$/.test(name))
    .map((name) =>
      isUpdate
        ? `${name}: ${JSON.stringify(before[name] ?? null)} → ${JSON.stringify(after[name] ?? null)}`
        : `${name}: ${JSON.stringify(changed[name])}`,
    )
    .join(', ');
}
