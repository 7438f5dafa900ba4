import { Type } from 'typebox';
import { countTokens } from '#pipeline';
import { messagesErrorSchema, messagesRequestSchema } from '#wire';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeRefusals } from '../../../refusals.ts';

export const countTokensEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/messages/count_tokens',
  aliases: ['/messages/count_tokens', '/v1/v1/messages/count_tokens'],
  summary: 'Count the tokens of a prompt (Anthropic Messages format).',
  auth: 'path',
  format: 'messages',
  body: { ...messagesRequestSchema, title: 'CountTokensRequest' },
  responses: {
    200: { description: 'The count.', schema: Type.Object({ input_tokens: Type.Integer({ minimum: 0 }) }) },
    ...describeRefusals(messagesErrorSchema, [400, 401, 403, 404, 408, 413, 415, 429, 500, 503]),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    countTokens(generation, call.arrive('/v1/messages/count_tokens', 'messages')),
});
