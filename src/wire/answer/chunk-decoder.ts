import type { GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { type JsonObject, type JsonValue, type SseMessage, isJsonObject, parseJson } from '#base';
import { createGarbled, describeValue, findFailure } from '../errors/openai-error.ts';

/** Reads the chunks of one answer; each chunk has the structure of a whole answer. */
interface ChunkReader {
  /** Whether the answer has a finish reason. */
  readonly hasFinish: boolean;
  /** Reads a chunk; returns the failure it reports, if any. */
  read(chunk: JsonObject): UpstreamFailure | undefined;
  /** Adds the remaining events of a complete answer. */
  finish(): void;
  /** The events since the last call. */
  drain(): GenerationEvent[];
}

/** Finds the failure in a value that claims success; `isNamed` if it arrived as an `error` event. */
type FindFailure = (value: JsonValue, isNamed: boolean) => UpstreamFailure | undefined;

/**
 * Turns chunks into events. The end needs a finish reason and then waits for `[DONE]` or the close, because usage may
 * follow. A stream that begins with an error yields that error alone, without a start.
 */
export class ChunkDecoder implements StreamDecoder {
  readonly #reader: ChunkReader;
  readonly #findFailure: FindFailure;
  readonly #parse: typeof parseJson;
  #hasEnded = false;

  constructor(reader: ChunkReader, find: FindFailure = findFailure, parse = parseJson) {
    this.#reader = reader;
    this.#findFailure = find;
    this.#parse = parse;
  }

  push(message: SseMessage): GenerationEvent[] {
    if (this.#hasEnded) return [];
    const data = message.data.trim();
    if (data === '') return [];
    if (data === '[DONE]') return this.close();
    const value = this.#parse(data);
    const isNamed = message.event === 'error';
    if (value === undefined) return this.#fail((isNamed && findFailure(data, true)) || createGarbled(data));
    const failure = this.#findFailure(value, isNamed);
    return failure ? this.#fail(failure) : this.#read(value);
  }

  close(): GenerationEvent[] {
    if (this.#hasEnded) return [];
    if (!this.#reader.hasFinish)
      return this.#fail({ kind: 'broken', message: 'the provider cut its answer short' });
    this.#hasEnded = true;
    this.#reader.finish();
    return this.#reader.drain();
  }

  #read(value: JsonValue): GenerationEvent[] {
    if (!isJsonObject(value)) return this.#fail(createGarbled(describeValue(value)));
    const failure = readSafely(this.#reader, value);
    const events = this.#reader.drain();
    return failure ? this.#fail(failure, events) : events;
  }

  #fail(failure: UpstreamFailure, events: GenerationEvent[] = []): GenerationEvent[] {
    this.#hasEnded = true;
    events.push({ type: 'generation-error', failure });
    return events;
  }
}

/** Endless nesting overflows the stack when printed; it is treated as a garbled answer. */
export function readSafely(
  reader: Pick<ChunkReader, 'read'>,
  chunk: JsonObject,
): UpstreamFailure | undefined {
  try {
    return reader.read(chunk);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return createGarbled('');
  }
}
