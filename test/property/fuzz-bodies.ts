import type { ClientFormatId, FormatId } from '#canonical';
import type { JsonObject, JsonValue } from '#base';
import { GatewayError } from '#errors';
import { embeddings, moderations, rerank } from '#media';
import { getInboundFormat, getOutboundFormat } from '#wire';
import { AnswerReader } from '../../src/pipeline/answer/answer-reader.ts';
import { boundCalls } from '../../src/pipeline/path/bound-calls.ts';
import { receive } from '../../src/pipeline/path/receive.ts';
import { createChatTarget, decodeChat } from '../support/chat-exchange.ts';
import { createGeminiTarget } from '../support/gemini-exchange.ts';
import { createMessagesTarget } from '../support/messages-exchange.ts';
import { createSeededRandom } from '../support/seeded-random.ts';

type Kind = Exclude<FormatId, 'converse' | 'responses'>;
const TARGETS = { chat: createChatTarget(), messages: createMessagesTarget(), gemini: createGeminiTarget() };
const KINDS = Object.keys(TARGETS) as Kind[];
const MEDIA = [embeddings, moderations, rerank];

const TOOL = { name: 'f', input_schema: { type: 'object' } };
const REQUESTS: Record<ClientFormatId, JsonObject> = {
  chat: {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
    stop: ['a'],
    metadata: {},
  },
  messages: {
    model: 'm',
    max_tokens: 5,
    system: [{ type: 'text', text: 'x' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    tools: [TOOL],
    stop_sequences: ['a'],
  },
  responses: { model: 'm', input: [{ role: 'user', content: 'x' }], tools: [], metadata: {}, include: [] },
  gemini: {
    model: 'm',
    contents: [{ role: 'user', parts: [{ text: 'x' }] }],
    tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: {} } }] }],
    generationConfig: { stopSequences: ['a'] },
  },
};
const MEDIA_REQUEST: JsonObject = { model: 'm', query: 'x', input: ['x'], documents: ['x'] };
const ANSWERS: Record<Kind, JsonObject> = {
  chat: {
    id: 'c',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: {
          role: 'assistant',
          content: 'x',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  },
  messages: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'text', text: 'x', citations: [] },
      { type: 'tool_use', id: 't', name: 'f', input: {} },
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  gemini: {
    candidates: [
      {
        content: { parts: [{ text: 'x' }, { functionCall: { name: 'f', args: {} } }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
  },
};

/** How long one step held the thread at most, by its processor time. */
export interface Slowest {
  ms: number;
  what: string;
}

/** Damages requests and answers with values of any kind and size, arrays of up to a million included. */
export class BodyFuzzer {
  readonly slowest: Slowest = { ms: 0, what: '' };
  /** Steps beyond half a second. */
  slow = 0;
  accepted = 0;

  /** One request; throws where it leads to anything but acceptance or a refusal that is its own fault. */
  async request(seed: number): Promise<void> {
    const random = createSeededRandom(seed);
    const formats = Object.keys(REQUESTS) as ClientFormatId[];
    const format = pick(random, [...formats, undefined]);
    const body = damage(random, structuredClone(format ? REQUESTS[format] : MEDIA_REQUEST));
    const text = print(body);
    if (!text) return; // refused by its length alone
    const what = `seed ${seed}, ${format ?? 'media'}, ${text.length} bytes`;
    try {
      const received = await receive({ headers: {}, readBody: () => Promise.resolve(text) });
      if (format) this.#carry(format, received.body, what);
      else
        this.#step(`decode ${what}`, () =>
          pick(random, MEDIA).decode({ body: received.body, files: new Map(), isForm: false }),
        );
      this.accepted += 1;
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.status < 500) return;
      throw new Error(`${what}: ${String(thrown)}`, { cause: thrown });
    }
  }

  /** One answer of a provider; throws where it is neither understood nor a failure of the provider. */
  answer(seed: number): void {
    const random = createSeededRandom(seed);
    const kind = pick(random, KINDS);
    const body = damage(random, structuredClone(ANSWERS[kind]));
    const bytes = print(body);
    if (!bytes) return;
    const format = getOutboundFormat(kind);
    const told = { isOver: false };
    const reader = new AnswerReader(format.openExchange(decodeChat({}), TARGETS[kind]), format, {
      onEvents: (events) => (told.isOver ||= events.length > 0),
      onFailure: () => (told.isOver = true),
      onSign: () => undefined,
    });
    const what = `answer, seed ${seed}, ${kind}, ${bytes.length} bytes`;
    this.#step(what, () => {
      reader.onHead(200, {});
      reader.onData(bytes);
      reader.onEnd();
    });
    if (!told.isOver) throw new Error(`${what}: nothing came of it`);
  }

  #carry(format: ClientFormatId, body: JsonObject, what: string): void {
    const request = this.#step(`decode ${what}`, () => getInboundFormat(format).decodeRequest(body, {}));
    this.#step(`calls ${what}`, () => boundCalls(request));
    for (const kind of KINDS) {
      const exchange = this.#step(`encode for ${kind} ${what}`, () =>
        getOutboundFormat(kind).openExchange(request, TARGETS[kind]),
      );
      this.#step(`print for ${kind} ${what}`, () => JSON.stringify(exchange.body));
    }
  }

  #step<T>(what: string, step: () => T): T {
    const before = process.threadCpuUsage();
    try {
      return step();
    } finally {
      const { user, system } = process.threadCpuUsage(before);
      const ms = (user + system) / 1_000;
      if (ms > 500) this.slow += 1;
      if (ms > this.slowest.ms) Object.assign(this.slowest, { ms, what });
    }
  }
}

type Random = () => number;

/** No more comes to the parser. */
const MOST_BYTES = 32 * 1024 * 1024;

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

function print(body: JsonObject): Buffer | undefined {
  try {
    const text = JSON.stringify(body);
    return text.length > MOST_BYTES ? undefined : Buffer.from(text);
  } catch {
    return undefined; // repeated within what was repeated: no string is as long
  }
}

/** Replaces, repeats or adds a value at a random place, once to three times. */
function damage(random: Random, body: JsonObject): JsonObject {
  for (let times = 1 + Math.floor(random() * 3); times > 0; times -= 1) damageOnce(random, body);
  return body;
}

function damageOnce(random: Random, body: JsonObject): void {
  let place: JsonObject | JsonValue[] = body;
  for (;;) {
    const keys: string[] = Object.keys(place);
    const key: string = keys.length === 0 ? 'odd' : pick(random, keys);
    const inner: JsonValue | undefined = (place as JsonObject)[key];
    if (typeof inner === 'object' && inner !== null && random() < 0.7 && Object.keys(inner).length > 0) {
      place = inner;
      continue;
    }
    if (Array.isArray(place)) repeat(random, place);
    else place[random() < 0.9 ? key : 'odd'] = createValue(random);
    return;
  }
}

/** Few are long: of a thousand, some are of a million. */
function chooseLength(random: Random): number {
  return Math.floor(10 ** (random() ** 3 * 6));
}

function repeat(random: Random, list: JsonValue[]): void {
  const item = random() < 0.7 ? list[0] : createValue(random);
  if (item === undefined) return;
  const most = MOST_BYTES / ((print({ item })?.length ?? MOST_BYTES) + 1);
  for (let count = Math.min(chooseLength(random), most); count > 0; count -= 1) list.push(item);
}

function createValue(random: Random): JsonValue {
  const length = chooseLength(random);
  const scalar = pick<JsonValue>(random, ['', 'x', 0, -1, 1e308, 0.5, true, null]);
  return pick<() => JsonValue>(random, [
    () => scalar,
    () => 'x'.repeat(length),
    () => JSON.stringify({ a: Array<JsonValue>(length).fill(1) }),
    () => Array<JsonValue>(length).fill(pick<JsonValue>(random, ['x', 1, {}, [], { type: 'text' }, null])),
    () => Object.fromEntries(Array.from({ length }, (_, at) => [`k${at}`, scalar])),
    () => Array.from({ length: length % 200 }).reduce<JsonValue>((inner) => [inner], scalar),
  ])();
}
