import type { Command } from 'commander';
import type { AuditEntry } from '#app';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { readSince } from '../terminal/read-time.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { formatTable, formatTime } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

interface AuditOptions extends CommonOptions {
  org?: string;
  subject?: string;
  actor?: string;
  action?: string;
  request?: string;
  since?: number;
  after?: string;
  limit: number;
}

export function createAuditCommand(): Command {
  return defineCommand({
    name: 'audit',
    summary: 'List changes of what is administered, newest first: who, when, what, from what to what.',
    examples: ['audit', 'audit --subject key_…', 'audit --actor "command line" --since 24h --json'],
  })
    .option('--org <id>', 'only changes within this organization')
    .option('--subject <id>', 'only changes of this organization, project, key or other thing')
    .option('--actor <who>', 'only changes by this admin key, or by "command line"')
    .option('--action <what>', 'only changes of this kind, such as key.updated')
    .option('--request <id>', 'only changes by this request')
    .option('--since <time>', 'only changes since 30m, 24h, 7d ago or a date', readSince)
    .option('--after <id>', 'only what comes after this entry in the list')
    .option('--limit <n>', 'how many', readWhole(1, 1000), 50)
    .action(async (options: AuditOptions) => {
      const entries = await withStores(options, ({ accounts }) =>
        accounts.directory.listAudit(toFilter(options)),
      );
      print(options, { data: entries.map(toJson) }, () => format(entries));
    });
}

function toFilter({ org, subject, actor, action, request, since, after, limit }: AuditOptions) {
  return {
    ...(org !== undefined && { organizationId: org }),
    ...(subject !== undefined && { subjectId: subject }),
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(request !== undefined && { requestId: request }),
    ...(since !== undefined && { since }),
    ...(after !== undefined && { after }),
    limit,
  };
}

function toJson({ recordedAt, ...entry }: AuditEntry) {
  return { ...entry, recordedAt: new Date(recordedAt).toISOString() };
}

function format(entries: readonly AuditEntry[]): string[] {
  if (entries.length === 0) return ['no changes'];
  return formatTable(
    ['time', 'who', 'what', 'subject', 'change'],
    entries.map((entry) => [
      formatTime(entry.recordedAt),
      entry.actor,
      entry.action,
      entry.subjectId,
      describeChange(entry),
    ]),
  );
}

/** Of an update `limit: "5" → "7"`, else what was made or removed. */
function describeChange({ before, after }: AuditEntry): string {
  const shown = after ?? before ?? {};
  const isUpdate = before !== undefined && after !== undefined;
  return Object.keys(shown)
    .filter((name) => isUpdate || !/^(id|created_at|digest)$/.test(name))
    .map((name) =>
      isUpdate
        ? `${name}: ${JSON.stringify(before[name] ?? null)} → ${JSON.stringify(after[name] ?? null)}`
        : `${name}: ${JSON.stringify(shown[name])}`,
    )
    .join(', ');
}
