import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { ModerationsRequest } from './request.ts';
import { isJsonObject } from '#base';
import { toCount } from '#canonical';
import { createGarbled, decodeFailure, decodingJson, forwardBody, toJsonResult } from '../openai-exchange.ts';
import { createQuantity } from '../quantity.ts';

export function openOpenaiExchange(request: ModerationsRequest, mapping: Mapping): MediaExchange {
  const { model } = request;
  return {
    path: '/moderations',
    headers: {},
    body: JSON.stringify(forwardBody(request, mapping)),
    decodeFailure,
    answer: decodingJson((body) => {
      const { results, usage } = body;
      if (!Array.isArray(results)) return createGarbled({ bytes: Buffer.from(JSON.stringify(body)) });
      const told = isJsonObject(usage)
        ? createQuantity({ inputUncached: toCount(usage['prompt_tokens'] ?? usage['total_tokens']) })
        : undefined;
      return toJsonResult({ ...body, model }, told);
    }),
  };
}
