import { Type } from 'typebox';
import { SESSION_TTL_SECONDS } from '#accounts';
import { encodeTime, formatUsd } from '#base';
import { permitRole, receive } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';
import { readTokenOptions } from './read-token-options.ts';

const { least, most, usual } = SESSION_TTL_SECONDS;

const optionsSchema = Type.Object(
  {
    limit: Type.Union(
      [Type.String({ pattern: String.raw`^\d+(\.\d+)?$` }), Type.Number({ exclusiveMinimum: 0 })],
      {
        description: 'The most the token may spend, in USD.',
      },
    ),
    ttl_seconds: Type.Optional(Type.Integer({ minimum: least, maximum: most, default: usual })),
    models: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 100,
        description: 'The models it may use, among those of the key; `*` matches any characters.',
      }),
    ),
    user: Type.Optional(
      Type.String({ maxLength: 200, description: 'The application’s name for the end user.' }),
    ),
  },
  { additionalProperties: false },
);

const sessionTokenSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('session_token'),
    token: Type.String({ description: 'The credential, which is not shown again.' }),
    limit: Type.String({ description: 'USD.' }),
    models: Type.Union([Type.Array(Type.String()), Type.Null()]),
    user: Type.Union([Type.String(), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'NewSessionToken' },
);

export const sessionTokensEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/session_tokens',
  summary: 'Create a short-lived token with a limit of its own, for an end user of an application.',
  auth: 'regular',
  format: 'chat',
  body: optionsSchema,
  responses: { 200: { description: 'The token.', schema: sessionTokenSchema } },
  refusals: [400, 401, 403, 408, 413, 415, 500, 503],
  needs: ['accounts'],
  handle: async (call, { accounts }) => {
    const { caller } = call;
    permitRole(caller, 'mint');
    const { body } = await receive(call.arrive('/v1/session_tokens', 'chat'));
    const created = await accounts.directory.createSessionToken({
      keyId: caller.keyId,
      ...readTokenOptions(body),
    });
    const { id, limit, models = null, endUserId = null, createdAt, expiresAt } = created.session;
    sendJson(call.reply, {
      id,
      object: 'session_token',
      token: created.secret,
      limit: formatUsd(limit),
      models,
      user: endUserId,
      created_at: encodeTime(createdAt),
      expires_at: encodeTime(expiresAt),
    });
  },
});
