import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { EmbeddingsRequest } from './request.ts';
import { isJsonObject } from '#base';
import { toCount } from '#canonical';
import { createGarbled, decodeFailure, decodingJson, forwardBody, toJsonResult } from '../openai-exchange.ts';
import { createQuantity } from '../quantity.ts';

export function openOpenaiExchange(request: EmbeddingsRequest, mapping: Mapping): MediaExchange {
  const { model } = request;
  return {
    path: '/embeddings',
    headers: {},
    body: JSON.stringify(forwardBody(request, mapping)),
    decodeFailure,
    answer: decodingJson((body) => {
      const { data, usage } = body;
      if (!Array.isArray(data)) return createGarbled({ bytes: Buffer.from(JSON.stringify(body)) });
      if (!isJsonObject(usage)) return toJsonResult({ ...body, model });
      const tokens = toCount(usage['prompt_tokens'] ?? usage['total_tokens']);
      return toJsonResult({ ...body, model }, createQuantity({ inputUncached: tokens }));
    }),
  };
}
