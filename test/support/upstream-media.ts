import type { JsonObject } from '#base';
import type { UpstreamExchange } from './upstream-exchange.ts';
import type { Reply } from './upstream-replies.ts';

/** The usual answer of the mock provider at the address of a medium. */
export function findMediaReply(path: string): Reply | undefined {
  return MEDIA.find(([ending]) => ending.test(path))?.[1];
}

async function sendJson(exchange: UpstreamExchange, body: JsonObject): Promise<void> {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  await exchange.sendHead(200, { 'content-type': 'application/json', 'content-length': length });
  exchange.truth.chunksSent += 1;
  await exchange.end(text);
}

/** A JSON answer made from the request. */
export function json(create: (body: JsonObject) => JsonObject): Reply {
  return (exchange) => sendJson(exchange, create(exchange.truth.body));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Vectors that tell the position of their text; 3 tokens each. */
function embed({ input, model, encoding_format: encoding }: JsonObject): JsonObject {
  const inputs = listOf(input);
  const vector = (index: number): JsonObject['embedding'] => {
    const values = [index, 0.5, -0.25];
    if (encoding !== 'base64') return values;
    return Buffer.from(new Float32Array(values).buffer).toString('base64');
  };
  return {
    object: 'list',
    data: inputs.map((_, index) => ({ object: 'embedding', index, embedding: vector(index) })),
    model: model ?? '',
    usage: { prompt_tokens: 3 * inputs.length, total_tokens: 3 * inputs.length },
  };
}

function embedAsGoogle({ requests }: JsonObject): JsonObject {
  return { embeddings: listOf(requests).map((_, index) => ({ values: [index, 0.5, -0.25] })) };
}

function moderate({ input, model }: JsonObject): JsonObject {
  const results = listOf(input).map((text) => ({
    flagged: String(text).includes('kill'),
    categories: { violence: String(text).includes('kill') },
    category_scores: { violence: 0.5 },
  }));
  return { id: 'modr-mock', model: model ?? '', results };
}

/** The last document is the best; tokens by the length, or searches where the path is Cohere's. */
function rank(billing: JsonObject): (body: JsonObject) => JsonObject {
  return ({ documents, top_n: most }) => ({
    id: 'rank-mock',
    results: listOf(documents)
      .map((_, index) => ({ index, relevance_score: index / 10 }))
      .reverse()
      .slice(0, typeof most === 'number' ? most : undefined),
    ...billing,
  });
}

const MEDIA: [RegExp, Reply][] = [
  [/\/embeddings$/, json(embed)],
  [/\/moderations$/, json(moderate)],
  [/\/v2\/rerank$/, json(rank({ meta: { billed_units: { search_units: 2 } } }))],
  [/\/rerank$/, json(rank({ usage: { total_tokens: 40 } }))],
  [/:batchEmbedContents$/, json(embedAsGoogle)],
];
