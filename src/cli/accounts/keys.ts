import type { Command } from 'commander';
import type { RecurringLimit } from '#app';
import type { PicoUsd } from '#base';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { createKeyLifeCommands } from './key-life.ts';
import { formatKeys, formatRecurring, toJsonKey } from './key-records.ts';
import { addRateLimitOptions, createRateLimitsCommand, toRateLimits } from '../terminal/rate-limits.ts';
import { readAmount, readRecurringLimit } from '../terminal/read-amount.ts';
import { readEnd } from '../terminal/read-time.ts';
import { getProjectId, withStores } from '../terminal/with-stores.ts';

export function createKeysCommand(): Command {
  return defineGroup('keys', 'Create and manage API keys.', [
    createCreate(),
    createList(),
    ...createKeyLifeCommands(),
    createLimit(),
    createRecurring(),
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
  member?: string;
  expires?: number;
  rpm?: number;
  tpm?: number;
  concurrency?: number;
}

function createCreate(): Command {
  const command = defineCommand({
    name: 'create',
    summary: 'Create an API key; its text is shown this once.',
    examples: [
      'keys create --label "my laptop"',
      'keys create --label ci --limit 25 --recurring 5/day --expires 90d',
      'keys create --label laptop --member mem_…',
    ],
  })
    .option('--label <text>', 'what the key is for', 'key')
    .option('--project <id>', 'the project it belongs to (default: the first)')
    .option('--member <id>', 'the member it belongs to, as `members list` shows it')
    .option('--expires <when>', 'when it ends: 30d, 2027-01-31 (UTC)', readEnd)
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
        ...(options.member !== undefined && { memberId: options.member }),
        ...(options.expires !== undefined && { expiresAt: options.expires }),
        rateLimits: toRateLimits(options),
      }),
    );
    print(options, { apiKey: secret, ...toJsonKey(key) }, () => [secret, `${key.id}, shown only this once`]);
  });
}

interface ListOptions extends CommonOptions {
  project?: string;
  org?: string;
  member?: string;
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List API keys.',
    examples: ['keys list', 'keys list --project prj_…'],
  })
    .option('--project <id>', 'only keys of this project')
    .option('--org <id>', 'only keys of this organization')
    .option('--member <id>', 'only keys of this member')
    .action(async (options: ListOptions) => {
      const keys = await withStores(options, ({ accounts }) =>
        accounts.directory.listKeys({
          ...(options.project !== undefined && { projectId: options.project }),
          ...(options.org !== undefined && { organizationId: options.org }),
          ...(options.member !== undefined && { memberId: options.member }),
        }),
      );
      print(options, { data: keys.map(toJsonKey) }, () => formatKeys(keys));
    });
}

function createLimit(): Command {
  return defineCommand({
    name: 'limit',
    summary: 'Set the most a key may ever spend; `keys recurring` sets what it may spend per period.',
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

function createRecurring(): Command {
  return defineCommand({
    name: 'recurring',
    summary:
      'Set the most a key may spend per hour, day, week or month. What was used in the period stays used.',
    examples: ['keys recurring key_… 5/day', 'keys recurring key_… none'],
  })
    .argument('<id>', 'the key’s id, as listed')
    .argument('<usd/period>', 'an amount of USD per period, or none', (text) =>
      text === 'none' ? null : readRecurringLimit(text),
    )
    .action(async (id: string, limit: RecurringLimit | null, options: CommonOptions) => {
      await withStores(options, ({ accounts }) => accounts.directory.setRecurringLimit(id, limit));
      const shown = formatRecurring(limit);
      print(options, { id, recurringLimit: shown }, () => [
        shown === null ? `${id} has no recurring limit` : `${id} may spend ${shown} USD`,
      ]);
    });
}
