import { Type } from 'typebox';
import { CLIENT_FACTS, decodeCountTokens } from '#wire';
import { defineCountEndpoint } from '../../../gateway/model-endpoint.ts';

export const countTokensEndpoint = defineCountEndpoint(
  'messages',
  {
    path: '/v1/messages/count_tokens',
    summary: 'Count the tokens of a prompt (Anthropic Messages format).',
    body: { ...CLIENT_FACTS.messages.requestSchema, title: 'CountTokensRequest' },
    answer: {
      description: 'The count.',
      schema: Type.Object({ input_tokens: Type.Integer({ minimum: 0 }) }),
    },
  },
  { decode: decodeCountTokens, encode: (tokens) => ({ input_tokens: tokens }) },
);
