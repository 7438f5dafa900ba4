import type { SessionToken } from '#app';
import type { PicoUsd } from '#base';
import { type Command, Option } from 'commander';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { readAmount } from '../terminal/read-amount.ts';
import { readDurationWithin } from '../terminal/read-time.ts';
import { formatTable, formatTime } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createSessionsCommand(): Command {
  return defineGroup('sessions', 'Manage session tokens: short-lived credentials for end users.', [
    createCreate(),
    createList(),
    createRevoke(),
  ]);
}

const readTtl = readDurationWithin(60_000, 86_400_000, '1m to 24h');

interface CreateOptions extends CommonOptions {
  key: string;
  budget: PicoUsd;
  ttl: number;
  model?: string[];
  user?: string;
}

function createCreate(): Command {
  return defineCommand({
    name: 'create',
    summary: 'Make a session token; its text is shown this once. It spends the money of its key, too.',
    examples: [
      'sessions create --key key_… --budget 0.50',
      'sessions create --key key_… --budget 2 --ttl 15m --model "gpt-5*" --user u-17',
    ],
  })
    .requiredOption('--key <id>', 'the key it is made by, as `keys list` shows it')
    .requiredOption('--budget <usd>', 'the most it may spend', readAmount)
    .addOption(
      new Option('--ttl <time>', 'how long it lives, 1m to 24h').argParser(readTtl).default(3_600_000, '1h'),
    )
    .option('--model <names...>', 'the only models it may use, of those its key may use')
    .option('--user <id>', 'your name for the end user; it lands beside what is spent')
    .action(async (options: CreateOptions) => {
      const { key: keyId, budget, ttl, model: models, user: endUserId } = options;
      const { secret, session } = await withStores(options, ({ accounts }) =>
        accounts.directory.createSessionToken({
          keyId,
          budget,
          ttlSeconds: ttl / 1_000,
          ...(models && { models }),
          ...(endUserId !== undefined && { endUserId }),
        }),
      );
      print(options, { token: secret, ...toJsonSession(session) }, () => [
        secret,
        `${session.id}, shown only this once; it ends at ${formatTime(session.expiresAt)}`,
      ]);
    });
}

interface ListOptions extends CommonOptions {
  key?: string;
  org?: string;
  all?: boolean;
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List session tokens that still open, newest first.',
    examples: ['sessions list', 'sessions list --key key_… --all'],
  })
    .option('--key <id>', 'only tokens of this key')
    .option('--org <id>', 'only tokens of this organization')
    .option('--all', 'those that ended, too')
    .action(async (options: ListOptions) => {
      const { key: keyId, org: organizationId, all: ended } = options;
      const sessions = await withStores(options, ({ accounts }) =>
        accounts.directory.listSessionTokens({
          ...(keyId !== undefined && { keyId }),
          ...(organizationId !== undefined && { organizationId }),
          ...(ended === true && { ended }),
        }),
      );
      print(options, { data: sessions.map(toJsonSession) }, () => formatSessions(sessions));
    });
}

function createRevoke(): Command {
  return defineCommand({
    name: 'revoke',
    summary: 'End a session token at once.',
    examples: ['sessions revoke ses_…'],
  })
    .argument('<id>', 'the session token’s id, as listed')
    .action(async (id: string, options: CommonOptions) => {
      const session = await withStores(options, ({ accounts }) => accounts.directory.revokeSessionToken(id));
      print(options, toJsonSession(session), () => [`${id} is revoked`]);
    });
}

function toJsonSession(session: SessionToken) {
  const {
    id,
    keyId,
    organizationId,
    projectId,
    masked,
    models = null,
    endUserId = null,
    revokedAt,
  } = session;
  return {
    id,
    keyId,
    organizationId,
    projectId,
    masked,
    budget: formatUsd(session.budget),
    usage: formatUsd(session.usage),
    models,
    user: endUserId,
    createdAt: new Date(session.createdAt).toISOString(),
    expiresAt: new Date(session.expiresAt).toISOString(),
    revokedAt: revokedAt === undefined ? null : new Date(revokedAt).toISOString(),
  };
}

function formatSessions(sessions: readonly SessionToken[]): string[] {
  if (sessions.length === 0) return ['no session tokens'];
  return formatTable(
    ['id', 'token', 'key', 'user', 'used usd', 'budget usd', 'expires', 'revoked'],
    sessions.map((session) => [
      session.id,
      session.masked,
      session.keyId,
      session.endUserId ?? '–',
      formatUsd(session.usage),
      formatUsd(session.budget),
      formatTime(session.expiresAt),
      formatTime(session.revokedAt),
    ]),
  );
}
