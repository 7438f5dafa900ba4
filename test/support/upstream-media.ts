import { type JsonObject, formatSse } from '#base';
import type { UpstreamExchange } from './upstream-exchange.ts';
import type { Reply } from './upstream-replies.ts';

/** The mock provider's usual answer at the path of a medium. */
export function findMediaReply(path: string): Reply | undefined {
  return MEDIA.find(([ending]) => ending.test(path))?.[1];
}

/** A JSON answer computed from the request. */
export function json(create: (body: JsonObject) => JsonObject): Reply {
  return (exchange) => exchange.sendJson(create(exchange.truth.body));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Vectors that encode the position of their text; 3 tokens each. */
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

/** The last document ranks first; tokens by the length, or searches on Cohere's path. */
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

function embedAsCohere({ texts }: JsonObject): JsonObject {
  const float = listOf(texts).map((_, index) => [index, 0.5, -0.25]);
  return { id: 'emb-mock', embeddings: { float }, meta: { billed_units: { input_tokens: 4 } } };
}

export const IMAGE = Buffer.from('a picture, believe it').toString('base64');
const IMAGE_USAGE = {
  input_tokens: 30,
  output_tokens: 200,
  total_tokens: 230,
  input_tokens_details: { text_tokens: 10, image_tokens: 20 },
};

/** A field of a JSON body or of a form. */
function readField({ truth: { body, rawBody } }: UpstreamExchange, name: string): string {
  const value = body[name];
  if (value !== undefined) return typeof value === 'string' ? value : JSON.stringify(value);
  return new RegExp(`name="${name}"\\r\\n\\r\\n([^\\r]*)`).exec(rawBody)?.[1] ?? '';
}

/** Server-sent events with their type as their name, as OpenAI's media send them. */
export function events(list: readonly (JsonObject & { type: string })[], everyMs = 0): Reply {
  return async (exchange) => {
    await exchange.sendHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const body of list) {
      await exchange.sendBody(formatSse({ event: body.type, data: JSON.stringify(body) }));
      exchange.truth.chunksSent += 1;
      await exchange.pause(everyMs);
    }
    await exchange.end();
  };
}

const draw: Reply = async (exchange) => {
  const event = exchange.truth.path.endsWith('edits') ? 'image_edit' : 'image_generation';
  const n = Number(readField(exchange, 'n') || 1);
  if (readField(exchange, 'stream') === 'true') {
    const all = Array.from({ length: n }, () => [
      { type: `${event}.partial_image`, b64_json: IMAGE, partial_image_index: 0 },
      { type: `${event}.completed`, b64_json: IMAGE, usage: IMAGE_USAGE },
    ]);
    await events(all.flat())(exchange);
    return;
  }
  const data = Array.from({ length: n }, () => ({ b64_json: IMAGE }));
  await exchange.sendJson({ created: 1_790_000_000, data, usage: IMAGE_USAGE });
};

export const SOUND = Buffer.from(Array.from({ length: 30_000 }, (_, index) => index % 251));

/** Bytes of a type in pieces. */
export function bytes(type: string, pieces: readonly Buffer[], everyMs = 0): Reply {
  return async (exchange) => {
    await exchange.sendHead(200, { 'content-type': type });
    for (const piece of pieces) {
      await exchange.sendBody(piece);
      exchange.truth.chunksSent += 1;
      await exchange.pause(everyMs);
    }
    await exchange.end();
  };
}

const speak: Reply = async (exchange) => {
  const [first, second] = [SOUND.subarray(0, 10_000), SOUND.subarray(10_000)];
  if (exchange.truth.body['stream_format'] !== 'sse') return bytes('audio/mpeg', [first, second])(exchange);
  const deltas = [first, second].map((piece) => ({
    type: 'speech.audio.delta',
    audio: piece.toString('base64'),
  }));
  const usage = { input_tokens: 7, output_tokens: 50, total_tokens: 57 };
  return events([...deltas, { type: 'speech.audio.done', usage }])(exchange);
};

const transcribe: Reply = async (exchange) => {
  const usage = {
    type: 'tokens',
    input_tokens: 40,
    output_tokens: 5,
    input_token_details: { audio_tokens: 38 },
  };
  if (readField(exchange, 'stream') === 'true') {
    await events([
      { type: 'transcript.text.delta', delta: 'hello ' },
      { type: 'transcript.text.done', text: 'hello there', usage },
    ])(exchange);
    return;
  }
  const format = readField(exchange, 'response_format');
  if (format === 'text') return bytes('text/plain; charset=utf-8', [Buffer.from('hello there\n')])(exchange);
  if (format === 'verbose_json') return exchange.sendJson({ text: 'hello there', duration: 2.5 });
  return exchange.sendJson({ text: 'hello there', usage });
};

const MEDIA: [RegExp, Reply][] = [
  [/\/embeddings$/, json(embed)],
  [/\/images\/(?:generations|edits)$/, draw],
  [/\/audio\/speech$/, speak],
  [/\/audio\/transcriptions$/, transcribe],
  [/\/moderations$/, json(moderate)],
  [/\/v2\/embed$/, json(embedAsCohere)],
  [/\/v2\/rerank$/, json(rank({ meta: { billed_units: { search_units: 2 } } }))],
  [/\/rerank$/, json(rank({ usage: { total_tokens: 40 } }))],
  [/:batchEmbedContents$/, json(embedAsGoogle)],
];
