import { type JsonObject, type JsonValue, type SseMessage, isJsonObject, parseJson } from '#base';
import type { GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { createGarbled, describeValue, findFailure } from '../openai-error.ts';
import { type AnswerContext, AnswerReader } from './answer-reader.ts';

/**
 * Chunks in, events out. An end is believed only after a finish reason: usage may follow it, so the end waits for
 * `[DONE]` or the close. A stream whose first word is an error gives that error alone, without a start.
 */
export class ChatStreamDecoder implements StreamDecoder {
  readonly #reader: AnswerReader;
  #hasEnded = false;

  constructor(context: AnswerContext) {
    this.#reader = new AnswerReader(context);
  }

  push(message: SseMessage): GenerationEvent[] {
    if (this.#hasEnded) return [];
    const data = message.data.trim();
    if (data === '') return [];
    if (data === '[DONE]') return this.close();
    const value = parseJson(data);
    const isNamedError = message.event === 'error';
    if (value === undefined) {
      const failure = isNamedError ? findFailure(data, true) : undefined;
      return this.#fail(failure ?? createGarbled(data), []);
    }
    const failure = findFailure(value, isNamedError);
    return failure ? this.#fail(failure, []) : this.#read(value);
  }

  close(): GenerationEvent[] {
    if (this.#hasEnded) return [];
    const events: GenerationEvent[] = [];
    if (!this.#reader.hasFinish) {
      return this.#fail({ kind: 'broken', message: 'the provider cut its answer short' }, events);
    }
    this.#hasEnded = true;
    this.#reader.finish(events);
    return events;
  }

  #read(value: JsonValue): GenerationEvent[] {
    if (!isJsonObject(value)) return this.#fail(createGarbled(describeValue(value)), []);
    const events: GenerationEvent[] = [];
    const failure = readSafely(this.#reader, value, events);
    return failure ? this.#fail(failure, events) : events;
  }

  #fail(failure: UpstreamFailure, events: GenerationEvent[]): GenerationEvent[] {
    this.#hasEnded = true;
    events.push({ type: 'generation-error', failure });
    return events;
  }
}

/** Nesting without end overflows the stack wherever it is printed; that is a garbled answer, not a fault of ours. */
export function readSafely(
  reader: AnswerReader,
  value: JsonObject,
  events: GenerationEvent[],
): UpstreamFailure | undefined {
  try {
    return reader.read(value, events);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return createGarbled('');
  }
}
