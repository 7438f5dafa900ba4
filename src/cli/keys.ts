import type { Command } from 'commander';
import type { KeyRecord, RecurringLimit } from '#app';
import type { PicoUsd } from '#base';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand, defineGroup } from './command.ts';
import { print } from './output.ts';
import {
  addRateLimitOptions,
  createRateLimitsCommand,
  toJsonRateLimits,
  toRateLimits,
} from './rate-limits.ts';
import { readAmount, readRecurringLimit } from './read-amount.ts';
import { formatTable, formatTime } from './table.ts';
import { getProjectId, withStores } from './with-stores.ts';

export function createKeysCommand(): Command {
  return defineGroup('keys', 'Create and manage API keys.', [
    createCreate(),
    createList(),
    createSwitch('disable'),
    createSwitch('enable'),
    createLimit(),
    createRateLimitsCommand({
      group: 'keys',
      what: 'a key',
      id: 'key_…',
      change: ({ accounts }, id, change) => accounts.directory.setKeyRateLimits(id, change),
    }),
  ]);
}

interface CreateOptions extends CommonOptions {
  label: string;
  project?: string;
  limit?: PicoUsd;
  recurring?: RecurringLimit;
  rpm?: number;
  tpm?: number;
  concurrency?: number;
}

function createCreate(): Command {
  const command = defineCommand({
    name: 'create',
    summary: 'Create an API key; its text is shown this once.',
    examples: ['keys create --label "my laptop"', 'keys create --label ci --limit 25 --recurring 5/day'],
  })
    .option('--label <text>', 'what the key is for', 'key')
    .option('--project <id>', 'the project it belongs to (default: the first)')
    .option('--limit <usd>', 'the most it may ever spend', readAmount)
    .option(
      '--recurring <usd/period>',
      'the most it may spend per hour, day, week or month',
      readRecurringLimit,
    );
  return addRateLimitOptions(command).action(async (options: CreateOptions) => {
    const { secret, key } = await withStores(options, async (stores) =>
      stores.accounts.directory.createKey({
        projectId: await getProjectId(stores, options.project),
        label: options.label,
        ...(options.limit !== undefined && { limit: options.limit }),
        ...(options.recurring && { recurringLimit: options.recurring }),
        rateLimits: toRateLimits(options),
      }),
    );
    print(options, { apiKey: secret, ...toJsonKey(key) }, () => [secret, `${key.id}, shown only this once`]);
  });
}

interface ListOptions extends CommonOptions {
  project?: string;
  org?: string;
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List API keys.',
    examples: ['keys list', 'keys list --project prj_…'],
  })
    .option('--project <id>', 'only keys of this project')
    .option('--org <id>', 'only keys of this organization')
    .action(async (options: ListOptions) => {
      const keys = await withStores(options, ({ accounts }) =>
        accounts.directory.listKeys({
          ...(options.project !== undefined && { projectId: options.project }),
          ...(options.org !== undefined && { organizationId: options.org }),
        }),
      );
      print(options, { data: keys.map(toJsonKey) }, () => formatKeys(keys));
    });
}

function createSwitch(name: 'disable' | 'enable'): Command {
  const summary = name === 'disable' ? 'Disable an API key at once.' : 'Enable a disabled API key.';
  return defineCommand({ name, summary, examples: [`keys ${name} key_…`] })
    .argument('<id>', 'the key’s id, as listed')
    .action(async (id: string, options: CommonOptions) => {
      await withStores(options, ({ accounts }) =>
        name === 'disable' ? accounts.directory.disableKey(id) : accounts.directory.enableKey(id),
      );
      print(options, { id, disabled: name === 'disable' }, () => [`${id} is ${name}d`]);
    });
}

function createLimit(): Command {
  return defineCommand({
    name: 'limit',
    summary: 'Set the most a key may ever spend.',
    examples: ['keys limit key_… 25', 'keys limit key_… none'],
  })
    .argument('<id>', 'the key’s id, as listed')
    .argument('<usd>', 'an amount of USD, or none', (text) => (text === 'none' ? null : readAmount(text)))
    .action(async (id: string, limit: PicoUsd | null, options: CommonOptions) => {
      await withStores(options, ({ accounts }) => accounts.directory.setKeyLimit(id, limit));
      const shown = limit === null ? null : formatUsd(limit);
      print(options, { id, limit: shown }, () => [
        `${id} ${shown === null ? 'has no limit' : `may spend ${shown} USD`}`,
      ]);
    });
}

function toJsonKey(key: KeyRecord) {
  const { id, organizationId, projectId, label, masked, disabled } = key;
  return {
    id,
    organizationId,
    projectId,
    label,
    masked,
    disabled,
    usage: formatUsd(key.usage),
    limit: key.limit === null ? null : formatUsd(key.limit),
    recurringLimit: formatRecurring(key.recurringLimit),
    rateLimits: toJsonRateLimits(key.rateLimits),
    createdAt: new Date(key.createdAt).toISOString(),
    expiresAt: key.expiresAt === undefined ? null : new Date(key.expiresAt).toISOString(),
    lastUsedAt: key.lastUsedAt === undefined ? null : new Date(key.lastUsedAt).toISOString(),
  };
}

function formatRecurring(limit: RecurringLimit | null): string | null {
  return limit && `${formatUsd(limit.amount)}/${limit.period}`;
}

function formatLimits({ limit, recurringLimit }: KeyRecord): string {
  const limits = [limit === null ? null : formatUsd(limit), formatRecurring(recurringLimit)];
  return limits.filter((text) => text !== null).join(', ') || '–';
}

function formatKeys(keys: readonly KeyRecord[]): string[] {
  if (keys.length === 0) return ['no keys'];
  return formatTable(
    ['id', 'key', 'label', 'used usd', 'limit usd', 'state', 'last used'],
    keys.map((key) => [
      key.id,
      key.masked,
      key.label,
      formatUsd(key.usage),
      formatLimits(key),
      key.disabled ? 'disabled' : 'enabled',
      formatTime(key.lastUsedAt),
    ]),
  );
}
