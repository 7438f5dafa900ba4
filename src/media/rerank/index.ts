import type { Medium } from '../contract.ts';
import { createOpener } from '../medium.ts';
import { estimateTokens } from '../quantity.ts';
import { boundRerank, estimateRerank } from './bound.ts';
import { openCohereExchange } from './cohere.ts';
import { openOpenaiExchange } from './openai.ts';
import { decodeRequest, textsOf } from './request.ts';

export { rerankRequestSchema, rerankResponseSchema } from './request.ts';

/** Ranks documents by their relevance to a query. */
export const rerank: Medium = {
  operation: 'rerank',
  intake: 'json',
  decode: (input) => {
    const request = decodeRequest(input);
    const bytes = textsOf(request).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return {
      operation: 'rerank',
      model: request.model,
      stream: false,
      inputEstimate: estimateTokens(bytes + Buffer.byteLength(request.query)),
      isReplayable: true,
      isSlow: false,
      bound: () => boundRerank(request),
      estimate: (mapping) => estimateRerank(request, mapping),
      openExchange: createOpener('rerank', request, {
        openai: openOpenaiExchange,
        cohere: openCohereExchange,
      }),
    };
  },
};
