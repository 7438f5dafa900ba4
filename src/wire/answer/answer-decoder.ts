import { type JsonObject, type JsonValue, type SseMessage, isJsonObject, parseJson } from '#base';
import { type GenerationEvent, type GenerationResult, collect } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { Exchange, StreamDecoder } from '../contract.ts';
import { createGarbled, describeValue, findFailure } from '../errors/openai-error.ts';

/** What an event is to the answer as a whole: its failure, its last event, or neither. */
export type Reading = UpstreamFailure | 'end' | undefined;

/** Reads one answer of a format. */
export interface AnswerReader {
  /** Whether the answer is complete if nothing follows. */
  readonly hasFinish: boolean;
  /** Reads an event of a stream, by its own name; `data` is its JSON text. */
  read(event: JsonObject, name: string | undefined, data: string): Reading;
  /** Reads a whole answer. */
  readWhole(body: JsonObject): GenerationResult | UpstreamFailure;
  /** Adds the remaining events of a complete answer. */
  finish(): void;
  /** The events since the last call. */
  drain(): GenerationEvent[];
}

/** How the streams of a format differ from Chat's. */
export interface StreamRules {
  parse?: typeof parseJson;
  /** Decides about an event that is no object. */
  readData?: typeof readData;
  /** The message about a stream without its end. */
  cutShort?: string;
}

/**
 * Turns the events of a stream into neutral events. Where no event ends the stream, `[DONE]` or the close does, because
 * usage may follow the finish reason. A stream that begins with an error yields that error alone.
 */
class AnswerDecoder implements StreamDecoder {
  readonly #reader: AnswerReader;
  readonly #parse: typeof parseJson;
  readonly #readData: typeof readData;
  readonly #cutShort: string;
  #hasEnded = false;

  constructor(reader: AnswerReader, rules: StreamRules = {}) {
    this.#reader = reader;
    this.#parse = rules.parse ?? parseTrimmed;
    this.#readData = rules.readData ?? readData;
    this.#cutShort = rules.cutShort ?? 'the provider cut its answer short';
  }

  push(message: SseMessage): GenerationEvent[] {
    if (this.#hasEnded) return [];
    const reading = this.#read(message);
    return reading === undefined ? this.#reader.drain() : this.#conclude(reading);
  }

  close(): GenerationEvent[] {
    if (this.#hasEnded) return [];
    if (!this.#reader.hasFinish) return this.#fail({ kind: 'broken', message: this.#cutShort });
    this.#hasEnded = true;
    this.#reader.finish();
    return this.#reader.drain();
  }

  #read({ event: name, data }: SseMessage): Reading {
    const event = this.#parse(data);
    if (!isJsonObject(event)) return this.#readData(data.trim(), name, event);
    try {
      return this.#reader.read(event, name, data);
    } catch (thrown) {
      return toGarbled(thrown);
    }
  }

  #conclude(reading: UpstreamFailure | 'end'): GenerationEvent[] {
    return reading === 'end' ? this.close() : this.#fail(reading, this.#reader.drain());
  }

  #fail(failure: UpstreamFailure, events: GenerationEvent[] = []): GenerationEvent[] {
    this.#hasEnded = true;
    events.push({ type: 'generation-error', failure });
    return events;
  }
}

/** Reads each answer, whole or streamed, with a reader of its own. */
export function readAnswers(
  createReader: () => AnswerReader,
  rules?: StreamRules,
): Pick<Exchange, 'decodeResult' | 'createStreamDecoder'> {
  return {
    decodeResult: (body) => readSafely(() => createReader().readWhole(body)),
    createStreamDecoder: () => new AnswerDecoder(createReader(), rules),
  };
}

/** The result of a complete answer. */
export function collectAnswer(reader: AnswerReader): GenerationResult {
  reader.finish();
  return collect(reader.drain());
}

function readSafely<Result>(read: () => Result): Result | UpstreamFailure {
  try {
    return read();
  } catch (thrown) {
    return toGarbled(thrown);
  }
}

/** Endless nesting overflows the stack when printed; it is treated as a garbled answer. */
function toGarbled(thrown: unknown): UpstreamFailure {
  if (!(thrown instanceof RangeError)) throw thrown;
  return createGarbled('');
}

function parseTrimmed(data: string): JsonValue | undefined {
  return parseJson(data.trim());
}

/** Decides about data that is no object; without a value it is not even JSON. An `error` event may hold plain text. */
function readData(data: string, name: string | undefined, value: JsonValue | undefined): Reading {
  if (data === '') return undefined;
  if (data === '[DONE]') return 'end';
  const isNamed = name === 'error';
  if (value === undefined) return (isNamed && findFailure(data, true)) || createGarbled(data);
  return findFailure(value, isNamed) ?? createGarbled(describeValue(value));
}
