import {
  filter,
  formerly,
  isTrue,
  named,
  nullableOutput,
  optional,
  outputText,
  positiveUsd,
  required,
  seconds,
  text,
  textList,
  time,
  usd,
} from '#fields';
import { formatTime } from '#base';
import { inOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { idOf } from '../resource/types.ts';
import {
  SESSION_TTL_SECONDS,
  type SessionStore,
  type SessionToken,
  createSessionStore,
} from './session-store.ts';

const { define, operation } = resourceOf<{ directory: SessionStore }, SessionToken>();

const { least, most, usual } = SESSION_TTL_SECONDS;

const create = operation({
  summary: 'Create a session token. Its secret is shown only once. Its usage also counts against its key.',
  answer: 'The token with its secret.',
  kind: 'secret',
  input: {
    keyId: required(idOf('key', 'the key that creates it'), {
      flags: '--key <id>',
      help: 'the key that creates it, as `keys list` shows it',
    }),
    limit: required(formerly('budget', positiveUsd), {
      flags: '--limit <usd>',
      formerly: '--budget',
      help: 'the most it may spend',
    }),
    ttlSeconds: optional(
      seconds({ least, most, expected: `a whole number of seconds from ${least} to ${most}` }),
      {
        flags: '--ttl <time>',
        help: 'how long it is valid, 1m to 24h',
        fallback: { value: usual, shown: '1h' },
      },
    ),
    models: optional(textList('an array of names'), {
      flags: '--model <names...>',
      help: 'the models it may use, out of those its key may use',
    }),
    endUserId: optional(named('user', text()), {
      flags: '--user <id>',
      help: 'your name for the end user; recorded with each request',
    }),
  },
  example: { key_id: 'key_…', limit: '0.50' },
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
  store: createSessionStore,
  table: 'session_token',
  fields: {
    keyId: outputText(),
    organizationId: outputText(),
    projectId: outputText(),
    masked: outputText('`slcses_…abcd`'),
    limit: usd,
    usage: usd,
    models: nullableOutput(textList('')),
    endUserId: nullableOutput(named('user', outputText())),
    createdAt: time,
    expiresAt: time,
    revokedAt: nullableOutput(time),
  },
  operations: {
    create,
    list: operation({
      summary: 'List session tokens, newest first, without their secrets.',
      answer: 'A page of session tokens.',
      kind: 'page',
      input: {
        organizationId: inOrganization('Only tokens of this organization.'),
        keyId: filter(text(), 'Only tokens that this key created.', {
          flags: '--key <id>',
          help: 'only tokens of this key',
        }),
        ended: filter(isTrue, '`true` to include expired and revoked tokens.', {
          flags: '--all',
          help: 'include expired and revoked tokens',
        }),
      },
      run: ({ directory, input, page }) => directory.listSessionTokens({ ...input, ...page }),
    }),
    remove: operation({
      summary: 'Revoke a session token. It becomes invalid at once.',
      answer: 'The updated token.',
      kind: 'one',
      run: ({ directory, id }) => directory.revokeSessionToken(id),
    }),
  },
  commands: {
    group: 'session-tokens',
    summary: 'Manage session tokens: short-lived credentials for end users.',
    target: { flags: '<id>', help: 'the session token’s id, as listed' },
    empty: 'no session tokens',
    columns: {
      id: 'id',
      token: 'masked',
      key: 'keyId',
      user: 'endUserId',
      'used usd': 'usage',
      'limit usd': 'limit',
      expires: 'expiresAt',
      revoked: 'revokedAt',
    },
    commands: [
      {
        name: 'create',
        operation: 'create',
        examples: [
          'session-tokens create --key key_… --limit 0.50',
          'session-tokens create --key key_… --limit 2 --ttl 15m --model "gpt-5*" --user u-17',
        ],
        format: ({ secret, id, expiresAt }) => [
          secret,
          `${id}; this secret is not shown again; it expires at ${formatTime(expiresAt)}`,
        ],
      },
      {
        name: 'list',
        operation: 'list',
        pageSize: 1_000,
        summary: 'List session tokens that are valid, newest first.',
        examples: ['session-tokens list', 'session-tokens list --key key_… --all'],
      },
      {
        name: 'revoke',
        operation: 'remove',
        summary: 'Revoke a session token. It becomes invalid at once.',
        examples: ['session-tokens revoke ses_…'],
        format: ({ id }) => [`${id} is revoked`],
      },
    ],
  },
});
