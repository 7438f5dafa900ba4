import type { JsonObject } from '#base';
import type { UpstreamFailure } from '#errors';
import type { MediaResult, Quantity } from '../contract.ts';
import type { RerankRequest } from './request.ts';
import { isJsonObject } from '#base';
import { readBilledSearches } from '../cohere-units.ts';
import { createGarbled, toJsonResult } from '../openai-exchange.ts';
import { createQuantity, readInputTokens } from '../quantity.ts';
import { textsOf } from './request.ts';

interface Ranked {
  index: number;
  relevance_score: number;
}

/** Converts the common fields of all rerankers' answers to one format. */
export function encodeRanking(body: JsonObject, request: RerankRequest): MediaResult | UpstreamFailure {
  const texts = textsOf(request);
  const results = Array.isArray(body['results'])
    ? body['results'].map((item) => readRanked(item, texts.length))
    : [];
  if (!Array.isArray(body['results']) || results.includes(undefined))
    return createGarbled({ bytes: Buffer.from(JSON.stringify(body)) });
  const reported = readUse(body);
  const { id } = body;
  return toJsonResult(
    {
      ...(typeof id === 'string' && { id }),
      model: request.model,
      results: (results as Ranked[]).map((ranked) => ({
        ...ranked,
        ...(request.return_documents === true && { document: { text: texts[ranked.index] } }),
      })),
      ...(reported && { usage: describeUse(reported) }),
    },
    reported,
  );
}

function readRanked(value: unknown, count: number): Ranked | undefined {
  if (!isJsonObject(value)) return undefined;
  const { index, relevance_score: score } = value;
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return undefined;
  return typeof score === 'number' ? { index, relevance_score: score } : undefined;
}

/** Searches, as Cohere bills them, or tokens. */
function readUse(body: JsonObject): Quantity | undefined {
  const searches = readBilledSearches(body);
  if (searches !== undefined) return createQuantity({}, [{ unit: 'search', count: searches }]);
  return readInputTokens(body);
}

function describeUse({ usage, units: [searches] }: Quantity): JsonObject {
  return searches ? { search_units: searches.count } : { total_tokens: usage.inputUncached };
}
