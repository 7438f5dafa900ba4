import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { ModerationsRequest } from './request.ts';
import { createGarbled, decodeFailure, decodingJson, forwardBody, toJsonResult } from '../openai-exchange.ts';
import { readInputTokens } from '../quantity.ts';

export function openOpenaiExchange(request: ModerationsRequest, mapping: Mapping): MediaExchange {
  const { model } = request;
  return {
    path: '/moderations',
    headers: {},
    body: forwardBody(request, mapping),
    decodeFailure,
    answer: decodingJson((body) =>
      Array.isArray(body['results'])
        ? toJsonResult({ ...body, model }, readInputTokens(body))
        : createGarbled({ bytes: Buffer.from(JSON.stringify(body)) }),
    ),
  };
}
