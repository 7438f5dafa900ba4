import { Type } from 'typebox';
import { countTokens } from '#pipeline';
import { getInboundFormat, openaiErrorSchema, responsesRequestSchema } from '#wire';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeRefusals } from '../../../refusals.ts';

export const inputTokensEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/responses/input_tokens',
  aliases: ['/responses/input_tokens', '/v1/v1/responses/input_tokens'],
  summary: 'Count the tokens of a prompt (OpenAI Responses format).',
  auth: 'path',
  format: 'responses',
  body: { ...responsesRequestSchema, title: 'InputTokensRequest' },
  responses: {
    200: {
      description: 'The count.',
      schema: Type.Object({
        object: Type.Literal('response.input_tokens'),
        input_tokens: Type.Integer({ minimum: 0 }),
      }),
    },
    ...describeRefusals(openaiErrorSchema, [400, 401, 403, 404, 408, 413, 415, 429, 500, 503]),
  },
  needs: ['generation'],
  handle: (call, { generation }) => {
    const { decodeRequest, memory } = getInboundFormat('responses');
    return countTokens(generation, call.arrive('/v1/responses/input_tokens', 'responses'), {
      decode: decodeRequest,
      memory,
      encode: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
    });
  },
});
