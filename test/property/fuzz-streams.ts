import assert from 'node:assert/strict';
import { type JsonObject, type JsonValue, type SseMessage, parseJson, parseJsonObject } from '#base';
import {
  type Block,
  type ClientFormatId,
  Collector,
  type FormatId,
  type GenerationEvent,
  USAGE_PARTS,
  type Usage,
  collect,
  createUsage,
  inputJsonOf,
  toEvents,
} from '#canonical';
import { createSeededRandom } from '../support/seeded-random.ts';
import { decodeStream, encodeStream } from '../support/exchanges.ts';
import { CLIENT_FORMATS, type Crossing, PROVIDER_FORMATS, openCrossing } from './every-format.ts';
import type { RecordedStream } from './recorded-streams.ts';

type Random = () => number;

/** Malformed sequences of events derived from valid ones; a seed determines each entirely. */
export class StreamFuzzer {
  readonly #pool = new Map<FormatId, SseMessage[][]>();
  readonly #crossings = new Map<string, Crossing>();

  constructor(streams: readonly RecordedStream[]) {
    for (const format of PROVIDER_FORMATS) {
      const own = streams.filter((stream) => stream.format === format);
      this.#pool.set(
        format,
        own.map(({ messages }) => messages),
      );
    }
  }

  /** Sends one sequence from a provider to a client and back; throws with the sequence if a promise is broken. */
  run(seed: number): void {
    const random = createSeededRandom(seed);
    const provider = pick(PROVIDER_FORMATS, random);
    const client = pick(CLIENT_FORMATS, random);
    if (random() < 0.2) {
      const events = createEvents(random);
      this.#guard(seed, events, () => this.#deliver(client, client, events));
      return;
    }
    const messages = this.#garble(provider, random);
    this.#guard(seed, messages, () => {
      const events = decodeStream(this.#open(client, provider).exchange, messages);
      checkGrammar(events);
      this.#deliver(client, provider, events);
    });
  }

  #guard(seed: number, sequence: unknown, work: () => void): void {
    try {
      work();
    } catch (cause) {
      const shown = JSON.stringify(sequence).slice(0, 4000);
      throw new Error(`sequence ${seed} breaks a promise: ${String(cause)}\n${shown}`, { cause });
    }
  }

  #open(client: ClientFormatId, provider: FormatId): Crossing {
    const key = `${client} ${provider}`;
    const known = this.#crossings.get(key) ?? openCrossing({ client, provider });
    this.#crossings.set(key, known);
    return known;
  }

  /** Encodes events for a client and reads them as that client would. */
  #deliver(client: ClientFormatId, provider: FormatId, events: readonly GenerationEvent[]): void {
    const { inbound, context } = this.#open(client, provider);
    const frames = encodeStream(inbound, context, events);
    for (const { data } of frames) assert.ok(data !== '' && !/[\r\n]/.test(data), 'a frame of one line');
    const read = decodeStream(this.#open(client, client).exchange, frames);
    checkGrammar(read);
    const [sent, got] = [events.at(-1)?.type, read.at(-1)?.type];
    if (client === 'gemini' && got === 'generation-error' && endsMalformed(events)) return;
    assert.equal(got, sent, `the client of ${client} reads another ending`);
  }

  /** A stream of the format (sometimes of another) with events lost, duplicated, swapped, mixed in and damaged. */
  #garble(provider: FormatId, random: Random): SseMessage[] {
    const stream = this.#pickStream(provider, random);
    const from = random() < 0.7 ? 0 : Math.floor(random() * stream.length);
    const messages = stream.slice(from, from + 2 + Math.floor(random() * 10));
    if (random() < 0.7) messages.push(...stream.slice(-1 - Math.floor(random() * 4)));
    for (let left = Math.floor(random() * 5); left > 0; left -= 1) this.#damage(messages, provider, random);
    return messages;
  }

  #pickStream(provider: FormatId, random: Random): SseMessage[] {
    const format = random() < 0.95 ? provider : pick(PROVIDER_FORMATS, random);
    const streams = this.#pool.get(format) ?? [];
    return streams.length === 0 ? [] : pick(streams, random);
  }

  #damage(messages: SseMessage[], provider: FormatId, random: Random): void {
    const at = Math.floor(random() * messages.length);
    const other = Math.floor(random() * messages.length);
    const [one, two] = [messages[at], messages[other]];
    if (!one || !two) return;
    const kind = random();
    if (kind < 0.1) messages.splice(at, 1);
    else if (kind < 0.2) messages.splice(at, 0, two);
    else if (kind < 0.3) [messages[at], messages[other]] = [two, one];
    else if (kind < 0.4) messages.splice(at, 0, pick(this.#pickStream(provider, random), random));
    else if (kind < 0.45) messages[at] = { ...one, data: one.data.slice(0, random() * one.data.length) };
    else if (kind < 0.5) messages[at] = { ...one, data: pick(JUNK_TEXTS, random) };
    else if (kind < 0.55) messages[at] = { event: two.event ?? 'message', data: one.data };
    else messages[at] = { ...one, data: damageJson(one.data, random) };
  }
}

const JUNK_TEXTS = [
  '',
  '[DONE]',
  'null',
  '[]',
  '{}',
  '"x"',
  '{"error":{"message":"x"}}',
  '{"error":"x"}',
  '\u0000',
];
const JUNK: JsonValue[] = [
  null,
  '',
  'x',
  -1,
  0,
  1,
  2,
  1e300,
  true,
  false,
  [],
  {},
  [null],
  [{}],
  '{"a":',
  'stop',
];

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** The text with one of its values removed or replaced. */
function damageJson(text: string, random: Random): string {
  const root = parseJson(text);
  let place = root;
  for (let depth = 0; depth < 12; depth += 1) {
    const keys = typeof place === 'object' && place !== null ? Object.keys(place) : [];
    if (keys.length === 0) break;
    const key = pick(keys, random);
    const holder = place as Record<string, JsonValue>;
    const value = holder[key];
    const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
    if (isLeaf || random() < 0.2) {
      if (random() < 0.3 && !Array.isArray(holder)) Reflect.deleteProperty(holder, key);
      else holder[key] = pick(JUNK, random);
      break;
    }
    place = value;
  }
  return JSON.stringify(root ?? null);
}

/** Throws if events break the grammar; a lone error needs no start. */
function checkGrammar(events: readonly GenerationEvent[]): void {
  const [first] = events;
  if (first?.type === 'generation-error') {
    assert.equal(events.length, 1, 'an error without a start is the only event');
    return;
  }
  const collector = new Collector();
  for (const event of events) {
    collector.push(event);
    if ('usage' in event) checkUsage(event.usage);
  }
  assert.ok(collector.isComplete, 'the events come to an end');
}

/** A reason to refuse, as JSON. */
/** A normal end that Gemini readers report as a failure: arguments that are not an object count as malformed. */
function endsMalformed(events: readonly GenerationEvent[]): boolean {
  if (events[0]?.type !== 'generation-start') return false;
  const { blocks } = collect(events);
  const calls = blocks.filter((block) => block.type === 'tool-call');
  return calls.some((call) => parseJsonObject(inputJsonOf(call)) === undefined);
}

function checkUsage(usage: Usage): void {
  for (const part of USAGE_PARTS)
    assert.ok(Number.isSafeInteger(usage[part]) && usage[part] >= 0, `${part} is ${usage[part]}`);
}

const WORDS = ['', 'a', 'Hi ', 'naïve 🙂', '{"x":1}', '\n', '<think>', '\u2028', '"'];

/** Grammatical events, with blocks in an order that no single format has. */
function createEvents(random: Random): GenerationEvent[] {
  const blocks = Array.from({ length: Math.floor(random() * 6) }, (_, at) => createBlock(at, random));
  const count = (): number => Math.floor(random() * 1000);
  const events = toEvents({
    id: random() < 0.2 ? '' : 'gen_1',
    model: 'upstream-model',
    blocks,
    finish: { reason: pick(['stop', 'length', 'tool-calls', 'content-filter', 'pause', 'unknown'], random) },
    ...(random() < 0.8 && { usage: createUsage({ inputUncached: count(), outputText: count() }) }),
  });
  if (random() < 0.8) return events;
  const failure = { kind: 'broken', message: 'cut' } as const;
  return [
    ...events.slice(0, 1 + Math.floor(random() * (events.length - 1))),
    { type: 'generation-error', failure },
  ];
}

function createBlock(at: number, random: Random): Block {
  const text = WORDS.filter(() => random() < 0.3).join('');
  const kind = random();
  if (kind < 0.4) return { type: 'text', text, ...(random() < 0.1 && { refusal: true }) };
  const issuer = pick(['anthropic', 'openai', 'google', 'bedrock'], random);
  if (kind < 0.5) return { type: 'reasoning', text };
  if (kind < 0.65) return { type: 'reasoning', text, signature: `sig${at}`, issuer };
  if (kind < 0.7) return { type: 'reasoning', text: '', redacted: `hidden${at}`, issuer };
  if (kind < 0.75) {
    const value: JsonObject = {
      type: 'server_tool_use',
      id: `srvtoolu_${at}`,
      name: 'web_search',
      input: {},
    };
    return { type: 'native', format: 'messages', value };
  }
  const json = pick(['{}', '{"location":"Paris"}', '{"a":', '', '[1]', text], random);
  const isCustom = random() < 0.2;
  return {
    type: 'tool-call',
    id: `call_${at}`,
    name: 'weather',
    input: { json },
    ...(isCustom && { custom: true }),
  };
}
