import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { RerankRequest } from './request.ts';
import { decodeFailure, decodingJson } from '../openai-exchange.ts';
import { encodeRanking } from './answer.ts';
import { textsOf } from './request.ts';

/** Cohere's `v2/rerank`. */
export function openCohereExchange(request: RerankRequest, { externalId }: Mapping): MediaExchange {
  const { query, top_n: topN, max_tokens_per_doc: mostTokens } = request;
  return {
    path: '/rerank',
    headers: {},
    body: {
      model: externalId,
      query,
      documents: textsOf(request),
      ...(topN !== undefined && { top_n: topN }),
      ...(mostTokens !== undefined && { max_tokens_per_doc: mostTokens }),
    },
    decodeFailure,
    answer: decodingJson((body) => encodeRanking(body, request)),
  };
}
