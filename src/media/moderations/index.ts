import type { Medium } from '../contract.ts';
import { createOpener } from '../medium.ts';
import { createQuantity, estimateTokens } from '../quantity.ts';
import { boundInput, measureInput } from './bound.ts';
import { openOpenaiExchange } from './openai.ts';
import { decodeRequest } from './request.ts';

export { moderationsRequestSchema, moderationsResponseSchema } from './request.ts';

/** Whether texts and images are harmful. */
export const moderations: Medium = {
  operation: 'moderations',
  intake: 'json',
  decode: (input) => {
    const request = decodeRequest(input);
    const size = measureInput(request);
    const inputEstimate = estimateTokens(size.bytes);
    return {
      operation: 'moderations',
      model: request.model,
      stream: false,
      inputEstimate,
      isReplayable: true,
      isSlow: false,
      bound: () => createQuantity({ inputUncached: boundInput(size) }),
      estimate: () => createQuantity({ inputUncached: inputEstimate }),
      openExchange: createOpener('moderations', request, { openai: openOpenaiExchange }),
    };
  },
};
