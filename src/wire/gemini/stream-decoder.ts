import { type JsonObject, type SseMessage, isJsonObject, parseJson } from '#base';
import type { GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { type AnswerContext, AnswerReader } from './answer-reader.ts';
import { findFailure } from './upstream-failure.ts';

/** Chunks in, events out. An end is believed only after a finish reason or a blocked prompt, and comes with the close. */
export class GeminiStreamDecoder implements StreamDecoder {
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
    const failure = value === undefined ? garbled(data) : findFailure(value);
    if (failure) return this.#fail(failure, []);
    if (!isJsonObject(value)) return this.#fail(garbled(data), []);
    const events: GenerationEvent[] = [];
    const fault = readSafely(this.#reader, value, events);
    return fault ? this.#fail(fault, events) : events;
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

  #fail(failure: UpstreamFailure, events: GenerationEvent[]): GenerationEvent[] {
    this.#hasEnded = true;
    events.push({ type: 'generation-error', failure });
    return events;
  }
}

/** Nesting without end overflows the stack wherever it is printed; that is a garbled answer, not a fault of ours. */
export function readSafely(
  reader: AnswerReader,
  chunk: JsonObject,
  events: GenerationEvent[],
): UpstreamFailure | undefined {
  try {
    return reader.read(chunk, events);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return garbled('');
  }
}

export function garbled(data: string): UpstreamFailure {
  return {
    kind: 'garbled',
    message: 'the provider sent something that is not an answer',
    detail: data.slice(0, 2048),
  };
}
