import type { Mapping } from '#catalogue';
import type { Quantity } from '../contract.ts';
import type { RerankRequest } from './request.ts';
import { createQuantity, estimateTokens } from '../quantity.ts';
import { textsOf } from './request.ts';

/**
 * Cohere's rule: a search is a query with up to 100 documents; a document longer than 500 tokens with its query counts
 * as several.
 */
const DOCUMENTS_PER_SEARCH = 100;
const TOKENS_PER_DOCUMENT = 500;
/** A part of a document is at least this long, however long the query. */
const LEAST_PART = 50;
const FRAME_TOKENS = 16;

/** Counts every byte as a token: no tokenizer yields more searches or tokens. */
export function boundRerank(request: RerankRequest): Quantity {
  return measure(request, (text) => Buffer.byteLength(text) + FRAME_TOKENS);
}

/** The searches or the tokens, depending on the mapping's price. */
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
