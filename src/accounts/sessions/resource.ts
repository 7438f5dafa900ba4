import { formatTime } from '#base';
import type { InputType } from '../resource/field-type.ts';
import { orNull } from '../resource/field-type.ts';
import { named } from '../resource/field-type.ts';
import { filter, maybe, needed, resourceOf } from '../resource/resource.ts';
import { flag, idOf, seconds, shown, text, texts, time, usd } from '../resource/types.ts';
import {
  SESSION_TTL_SECONDS,
  type SessionBook,
  type SessionToken,
  createSessionBook,
} from './session-book.ts';

const { define, operation } = resourceOf<{ directory: SessionBook }, SessionToken>();

const { least, most, usual } = SESSION_TTL_SECONDS;

/** A filter that is written `true`. */
const isTrue: InputType<boolean> = { ...flag(''), decode: (json) => json === 'true' };

const create = operation({
  summary:
    'Create a session token. Its secret is shown only once; what it spends counts against its key, too.',
  answer: 'The token with its secret.',
  kind: 'secret',
  local: 'database',
  input: {
    keyId: needed(idOf('key', 'the key that creates it'), {
      as: '--key <id>',
      help: 'the key that creates it, as `keys list` shows it',
    }),
    budget: needed(usd, { as: '--budget <usd>', help: 'the most it may spend' }),
    ttlSeconds: maybe(
      seconds({ least, most, expected: `a whole number of seconds from ${least} to ${most}` }),
      {
        as: '--ttl <time>',
        help: 'how long it is valid, 1m to 24h',
        fallback: { value: usual, shown: '1h' },
      },
    ),
    models: maybe(texts('an array of names'), {
      as: '--model <names...>',
      help: 'the only models it may use, of those its key may use',
    }),
    endUserId: maybe(named('user', text()), {
      as: '--user <id>',
      help: 'your name for the end user; recorded with each request',
    }),
  },
  example: { key_id: 'key_…', budget: '0.50' },
  run: async ({ directory, input }) => {
    const { secret, session } = await directory.createSessionToken(input);
    return { ...session, secret };
  },
});

export const sessionTokenResource = define({
  name: 'session_token',
  path: 'session_tokens',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getSessionToken(id),
  book: createSessionBook,
  fields: {
    keyId: shown(),
    organizationId: shown(),
    projectId: shown(),
    masked: shown('`slcses_…abcd`'),
    budget: usd,
    usage: usd,
    models: orNull(texts('')),
    endUserId: orNull(named('user', shown())),
    createdAt: time,
    expiresAt: time,
    revokedAt: orNull(time),
  },
  operations: {
    create,
    list: operation({
      summary: 'List session tokens, newest first, without their secrets.',
      answer: 'A page of session tokens.',
      kind: 'page',
      input: {
        organizationId: filter(idOf('organization', ''), 'Only tokens of this organization.', {
          as: '--org <id>',
          help: 'only tokens of this organization',
        }),
        keyId: filter(text(), 'Only tokens that this key created.', {
          as: '--key <id>',
          help: 'only tokens of this key',
        }),
        ended: filter(isTrue, '`true` to include expired and revoked tokens.', {
          as: '--all',
          help: 'include expired and revoked tokens',
        }),
      },
      run: ({ directory, input, page }) => directory.listSessionTokens({ ...input, ...page }),
    }),
    remove: operation({
      summary: 'Revoke a session token. It becomes invalid at once.',
      answer: 'The updated token.',
      kind: 'one',
      input: {},
      run: ({ directory, id }) => directory.revokeSessionToken(id),
    }),
  },
  commands: {
    group: 'sessions',
    summary: 'Manage session tokens: short-lived credentials for end users.',
    naming: { as: '<id>', help: 'the session token’s id, as listed' },
    empty: 'no session tokens',
    columns: {
      id: 'id',
      token: 'masked',
      key: 'keyId',
      user: 'endUserId',
      'used usd': 'usage',
      'budget usd': 'budget',
      expires: 'expiresAt',
      revoked: 'revokedAt',
    },
    commands: [
      {
        name: 'create',
        does: 'create',
        examples: [
          'sessions create --key key_… --budget 0.50',
          'sessions create --key key_… --budget 2 --ttl 15m --model "gpt-5*" --user u-17',
        ],
        says: ({ secret, id, expiresAt }) => [
          secret,
          `${id}, shown only this once; it ends at ${formatTime(expiresAt)}`,
        ],
      },
      {
        name: 'list',
        does: 'list',
        pageSize: 1_000,
        summary: 'List session tokens that are valid, newest first.',
        examples: ['sessions list', 'sessions list --key key_… --all'],
      },
      {
        name: 'revoke',
        does: 'remove',
        summary: 'Revoke a session token. It becomes invalid at once.',
        examples: ['sessions revoke ses_…'],
        says: ({ id }) => [`${id} is revoked`],
      },
    ],
  },
});
