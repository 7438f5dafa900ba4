import type { Mapping } from '#catalogue';
import type { Quantity } from '../contract.ts';
import type { RerankRequest } from './request.ts';
import { createQuantity, estimateTokens } from '../quantity.ts';
import { textsOf } from './request.ts';

/** Cohere's rule: a search is a query with up to 100 documents, and one longer than 500 tokens with its query is several. */
const DOCUMENTS_PER_SEARCH = 100;
const TOKENS_PER_DOCUMENT = 500;
/** However long the query, a part of a document is no shorter. */
const LEAST_PART = 50;
const FRAME_TOKENS = 16;

/** Every byte a token: no tokenizer makes more searches or tokens of it. */
export function boundRerank(request: RerankRequest): Quantity {
  return measure(request, (text) => Buffer.byteLength(text) + FRAME_TOKENS);
}

/** The searches or the tokens, whichever the mapping is priced by. */
export function estimateRerank(request: RerankRequest, { price }: Mapping): Quantity {
  const { usage, units } = measure(request, (text) => estimateTokens(Buffer.byteLength(text)));
  return (price?.units?.perSearch ?? 0n) > 0n ? createQuantity({}, units) : { usage, units: [] };
}

function measure(request: RerankRequest, sizeOf: (text: string) => number): Quantity {
  const query = sizeOf(request.query);
  const room = Math.max(LEAST_PART, TOKENS_PER_DOCUMENT - query);
  let tokens = 0;
  let parts = 0;
  for (const text of textsOf(request)) {
    const size = sizeOf(text);
    tokens += size + query;
    parts += Math.max(1, Math.ceil(size / room));
  }
  const searches = Math.ceil(parts / DOCUMENTS_PER_SEARCH);
  return createQuantity({ inputUncached: tokens }, [{ unit: 'search', count: searches }]);
}
