import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { EmbeddingsRequest } from './request.ts';
import { createGarbled, decodeFailure, decodingJson, forwardBody, toJsonResult } from '../openai-exchange.ts';
import { readInputTokens } from '../quantity.ts';
import { withEncoding } from './answer.ts';

export function openOpenaiExchange(request: EmbeddingsRequest, mapping: Mapping): MediaExchange {
  const { model, encoding_format: encoding = 'float' } = request;
  return {
    path: '/embeddings',
    headers: {},
    body: forwardBody(request, mapping),
    decodeFailure,
    answer: decodingJson((body) => {
      const { data } = body;
      if (!Array.isArray(data)) return createGarbled({ bytes: Buffer.from(JSON.stringify(body)) });
      return toJsonResult({ ...body, data: withEncoding(data, encoding), model }, readInputTokens(body));
    }),
  };
}
