import { filter, named, nullableOutput, outputText, text, time, type OutputType } from '#fields';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { inOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { type AuditStore, type AuditEntry, createAuditStore } from './audit-store.ts';

const { define, operation } = resourceOf<{ directory: AuditStore }, AuditEntry>();

const members: OutputType<JsonObject> = {
  valueKind: 'text',
  answer: Type.Object({}, { additionalProperties: true }),
  encode: (value) => value,
};

export const auditLogResource = define({
  name: 'audit_log',
  path: 'audit_logs',
  scope: 'audit',
  store: createAuditStore,
  fields: {
    recordedAt: named('created_at', time),
    actor: outputText("An admin key's id, `command line`, or another program's name."),
    person: nullableOutput(outputText(), 'Who it was, if they signed in by OpenID Connect.'),
    action: outputText('Such as `key.updated`.'),
    subjectId: outputText(),
    organizationId: nullableOutput(outputText()),
    requestId: nullableOutput(outputText()),
    before: nullableOutput(members),
    after: nullableOutput(members, 'For an update, only the changed columns.'),
  },
  operations: {
    list: operation({
      summary: 'List changes of resources, newest first, with actor, time, and old and new values.',
      answer: 'A page of changes.',
      kind: 'page',
      input: {
        organizationId: inOrganization('Only changes within this organization.'),
        actor: filter(text(), 'Only changes by this admin key, or by `command line`.', '--actor <actor>'),
        action: filter(text(), 'Only changes of this kind, such as `key.updated`.', {
          flags: '--action <action>',
          help: 'only changes of this kind, such as key.updated',
        }),
        subjectId: filter(text(), 'Only changes of this resource, such as an organization or a key.', {
          flags: '--subject <id>',
          help: 'only changes of this resource',
        }),
        requestId: filter(text(), 'Only changes by this request.', '--request <id>'),
        since: filter(time, 'Only changes at this time (ISO 8601) or later.', {
          flags: '--last, --since <time>',
          help: 'only changes since 30m, 24h, 7d ago or a date',
        }),
      },
      run: ({ directory, input, page }) => directory.listAudit({ ...input, ...page }),
    }),
  },
  commands: {
    group: 'audit',
    summary: 'List changes.',
    target: { flags: '<id>', help: 'the entry’s id, as listed' },
    empty: 'no changes',
    columns: {
      time: 'recordedAt',
      actor: ({ actor, person }) => person ?? actor,
      action: 'action',
      subject: 'subjectId',
      change: describeChange,
    },
    commands: [
      {
        name: 'audit',
        operation: 'list',
        pageSize: 50,
        examples: ['audit', 'audit --subject key_…', 'audit --actor "command line" --since 24h --json'],
      },
    ],
  },
});

/** An update as `limit: "5" → "7"`, otherwise the created or deleted row. */
function describeChange({ before, after }: AuditEntry): string {
  const changed = after ?? before ?? {};
  const isUpdate = before !== undefined && after !== undefined;
  return Object.keys(changed)
    .filter((name) => isUpdate || !/^(id|created_at|digest)$/.test(name))
    .map((name) =>
      isUpdate
        ? `${nameField(name)}: ${JSON.stringify(before[name] ?? null)} → ${JSON.stringify(after[name] ?? null)}`
        : `${nameField(name)}: ${JSON.stringify(changed[name])}`,
    )
    .join(', ');
}

/** The database abbreviates `limit`, which is a word of SQL. */
const nameField = (column: string): string => column.replace(/(^|_)lim$/, '$1limit');
