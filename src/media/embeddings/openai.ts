import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { EmbeddingsRequest } from './request.ts';
import { createGarbled, decodeFailure, decodingJson, forwardBody, toJsonResult } from '../openai-exchange.ts';
import { readInputTokens } from '../quantity.ts';

export function openOpenaiExchange(request: EmbeddingsRequest, mapping: Mapping): MediaExchange {
  const { model } = request;
  return {
    path: '/embeddings',
    headers: {},
    body: JSON.stringify(forwardBody(request, mapping)),
    decodeFailure,
    answer: decodingJson((body) =>
      Array.isArray(body['data'])
        ? toJsonResult({ ...body, model }, readInputTokens(body))
        : createGarbled({ bytes: Buffer.from(JSON.stringify(body)) }),
    ),
  };
}
