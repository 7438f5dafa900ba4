import type { JsonObject } from '#base';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { MediaExchange, MediaResult, Medium, Quantity } from './contract.ts';
import type { ValidatedBody } from './request-body.ts';
import { estimateTokens } from '#canonical';
import { Type } from 'typebox';
import { isJsonObject } from '#base';
import { readBilledSearches } from './cohere-units.ts';
import { createOpener } from './medium.ts';
import { createGarbled, decodeFailure, decodingJson, forwardBody, toJsonResult } from './openai-exchange.ts';
import { createQuantity, readInputTokens } from './quantity.ts';
import { createValidator, serviceTier } from './request-body.ts';

const MOST_DOCUMENTS = 10_000;
const documentSchema = Type.Union([
  Type.String(),
  Type.Object({ text: Type.String() }, { additionalProperties: true }),
]);

/** `POST /v1/rerank`. */
const rerankRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    query: Type.String({ minLength: 1 }),
    documents: Type.Array(documentSchema, { minItems: 1, maxItems: MOST_DOCUMENTS }),
    top_n: Type.Optional(Type.Integer({ minimum: 1 })),
    return_documents: Type.Optional(Type.Boolean()),
    max_tokens_per_doc: Type.Optional(Type.Integer({ minimum: 1 })),
    service_tier: serviceTier,
  },
  { title: 'RerankRequest', additionalProperties: true },
);

const count = Type.Integer({ minimum: 0 });

/** The answer: the most relevant first. */
const rerankResponseSchema = Type.Object(
  {
    id: Type.Optional(Type.String()),
    model: Type.String(),
    results: Type.Array(
      Type.Object({
        index: count,
        relevance_score: Type.Number(),
        document: Type.Optional(Type.Object({ text: Type.String() })),
      }),
    ),
    usage: Type.Optional(
      Type.Object({ search_units: Type.Optional(count), total_tokens: Type.Optional(count) }),
    ),
  },
  { title: 'RerankResponse' },
);

type RerankRequest = ValidatedBody<typeof rerankRequestSchema>;

const decodeRequest = createValidator(rerankRequestSchema);

function textsOf({ documents }: RerankRequest): string[] {
  return documents.map((document) => (typeof document === 'string' ? document : document.text));
}

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
function boundRerank(request: RerankRequest): Quantity {
  return measure(request, (text) => Buffer.byteLength(text) + FRAME_TOKENS);
}

/** The searches or the tokens, depending on the mapping's price. */
function estimateRerank(request: RerankRequest, { price }: Mapping): Quantity {
  const { usage, units } = measure(request, (text) => estimateTokens(Buffer.byteLength(text)));
  return (price?.units?.perSearch ?? 0n) > 0n ? createQuantity({}, units) : { usage, units: [] };
}

function measure(request: RerankRequest, sizeOf: (text: string) => number): Quantity {
  const query = sizeOf(request.query);
  const room = Math.max(LEAST_PART, TOKENS_PER_DOCUMENT - query);
  let tokens = 0;
  let parts = 0;
  for (const document of request.documents) {
    const size = sizeOf(typeof document === 'string' ? document : JSON.stringify(document));
    tokens += size + query;
    parts += Math.max(1, Math.ceil(size / room));
  }
  const searches = Math.ceil(parts / DOCUMENTS_PER_SEARCH);
  return createQuantity({ inputUncached: tokens }, [{ unit: 'search', count: searches }]);
}

interface RankedDocument {
  index: number;
  relevance_score: number;
}

/** Converts the common fields of all rerankers' answers to one format. */
function encodeRanking(body: JsonObject, request: RerankRequest): MediaResult | UpstreamFailure {
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
      results: (results as RankedDocument[]).map((ranked) => ({
        ...ranked,
        ...(request.return_documents === true && { document: { text: texts[ranked.index] } }),
      })),
      ...(reported && { usage: describeUse(reported) }),
    },
    reported,
  );
}

function readRanked(value: unknown, count: number): RankedDocument | undefined {
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

/** The form shared by OpenAI-compatible servers; OpenAI itself has no reranker. */
function openOpenaiExchange(request: RerankRequest, mapping: Mapping): MediaExchange {
  return {
    path: '/rerank',
    headers: {},
    body: forwardBody(request, mapping),
    decodeFailure,
    answer: decodingJson((body) => encodeRanking(body, request)),
  };
}

/** Cohere's `v2/rerank`. */
function openCohereExchange(request: RerankRequest, { externalId }: Mapping): MediaExchange {
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

/** Ranks documents by their relevance to a query. */
export const rerank: Medium = {
  operation: 'rerank',
  path: '/v1/rerank',
  body: rerankRequestSchema,
  answer: rerankResponseSchema,
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
