import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { EmbeddingsRequest } from './request.ts';
import { createGarbled, decodeFailure, decodingJson, forwardBody, toJsonResult } from '../openai-exchange.ts';
import { readInputTokens } from '../quantity.ts';
import { withEncoding } from './answer.ts';
import { listInputs } from './request.ts';

/** The vectors of more inputs are requested as base64, a quarter of the size: as numbers, 2,048 exceed the limit of an answer. */
const MANY_INPUTS = 512;

export function openOpenaiExchange(request: EmbeddingsRequest, mapping: Mapping): MediaExchange {
  const { model, encoding_format: encoding = 'float' } = request;
  const count = listInputs(request).length;
  const isLong = count > MANY_INPUTS && request.output_dtype === undefined;
  return {
    path: '/embeddings',
    headers: {},
    body: forwardBody(isLong ? { ...request, encoding_format: 'base64' } : request, mapping),
    decodeFailure,
    answer: decodingJson((body) => {
      const { data } = body;
      if (!Array.isArray(data) || data.length < count)
        return createGarbled({ bytes: Buffer.from(JSON.stringify(body)) });
      return toJsonResult({ ...body, data: withEncoding(data, encoding), model }, readInputTokens(body));
    }),
  };
}
