import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { RerankRequest } from './request.ts';
import { decodeFailure, decodingJson, forwardBody } from '../openai-exchange.ts';
import { encodeRanking } from './answer.ts';

/** The form shared by OpenAI-compatible servers; OpenAI itself has no reranker. */
export function openOpenaiExchange(request: RerankRequest, mapping: Mapping): MediaExchange {
  return {
    path: '/rerank',
    headers: {},
    body: forwardBody(request, mapping),
    decodeFailure,
    answer: decodingJson((body) => encodeRanking(body, request)),
  };
}
