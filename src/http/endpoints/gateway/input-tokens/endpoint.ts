import { Type } from 'typebox';
import { CLIENT_FACTS, getInboundFormat } from '#wire';
import { defineCountEndpoint } from '../../../gateway/model-endpoint.ts';

const { decodeRequest, memory } = getInboundFormat('responses');

export const inputTokensEndpoint = defineCountEndpoint(
  'responses',
  {
    path: '/v1/responses/input_tokens',
    summary: 'Count the tokens of a prompt (OpenAI Responses format).',
    body: { ...CLIENT_FACTS.responses.requestSchema, title: 'InputTokensRequest' },
    answer: {
      description: 'The count.',
      schema: Type.Object({
        object: Type.Literal('response.input_tokens'),
        input_tokens: Type.Integer({ minimum: 0 }),
      }),
    },
  },
  {
    decode: decodeRequest,
    memory,
    encode: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
);
