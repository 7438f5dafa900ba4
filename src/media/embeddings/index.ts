import type { Medium } from '../contract.ts';
import { createQuantity } from '../quantity.ts';
import { createOpener } from '../medium.ts';
import { boundInputs, estimateInputs } from './bound.ts';
import { openCohereExchange } from './cohere.ts';
import { openGoogleExchange } from './google.ts';
import { openOpenaiExchange } from './openai.ts';
import { openPredictExchange } from './predict.ts';
import { decodeRequest, embeddingsRequestSchema, embeddingsResponseSchema, listInputs } from './request.ts';

/** Embeddings of texts. */
export const embeddings: Medium = {
  operation: 'embeddings',
  path: '/v1/embeddings',
  body: embeddingsRequestSchema,
  answer: embeddingsResponseSchema,
  intake: 'json',
  decode: (input) => {
    const request = decodeRequest(input);
    const inputs = listInputs(request);
    const inputEstimate = estimateInputs(inputs);
    return {
      operation: 'embeddings',
      model: request.model,
      stream: false,
      inputEstimate,
      isReplayable: true,
      isSlow: false,
      bound: (mapping) => boundInputs(inputs, mapping),
      estimate: () => createQuantity({ inputUncached: inputEstimate }),
      openExchange: createOpener('embeddings', request, {
        openai: openOpenaiExchange,
        google: openGoogleExchange,
        cohere: openCohereExchange,
        predict: openPredictExchange,
      }),
    };
  },
};
