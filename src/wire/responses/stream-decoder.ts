import { type SseMessage, isJsonObject, parseJson } from '#base';
import type { GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { createGarbled, describeValue, findFailure } from '../errors/openai-error.ts';
import { isObject } from '../body/read-field.ts';
import type { ReadAnswer, ReadEvent } from './answer-schema.ts';
import { ResponsesAnswerReader } from './answer-reader.ts';
import { findAnswerFailure } from './failure.ts';
import type { AnswerContext } from './item-reader.ts';

/** Decodes the events of a response. A stream that starts with an error yields that error alone. */
export class ResponsesStreamDecoder implements StreamDecoder {
  readonly #reader: ResponsesAnswerReader;
  #hasEnded = false;

  constructor(context: AnswerContext) {
    this.#reader = new ResponsesAnswerReader(context);
  }

  push(message: SseMessage): GenerationEvent[] {
    if (this.#hasEnded) return [];
    const data = message.data.trim();
    if (data === '') return [];
    if (data === '[DONE]') return this.close();
    const event = parseJson(data);
    if (!isJsonObject(event))
      return this.#fail(createGarbled(event === undefined ? data : describeValue(event)));
    const given: ReadEvent = event;
    const type = typeof given.type === 'string' ? given.type : (message.event ?? '');
    return this.#read(type, given, data);
  }

  close(): GenerationEvent[] {
    if (this.#hasEnded) return [];
    return this.#fail({ kind: 'broken', message: 'the provider cut its answer short' });
  }

  #read(type: string, event: ReadEvent, data: string): GenerationEvent[] {
    const { response } = event;
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        if (isObject(response)) this.#reader.announce(response);
        return [];
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return this.#end(isObject(response) ? response : {}, type);
      case 'error':
        return this.#fail(toFailure(event));
      default:
        if (!type.startsWith('response.') && event.error) return this.#fail(toFailure(event));
        this.#reader.readItemEvent(type, event, data);
        return this.#reader.drain();
    }
  }

  #end(response: ReadAnswer, type: string): GenerationEvent[] {
    const status = type.slice('response.'.length);
    const failure = findAnswerFailure({ ...response, status });
    if (failure) return this.#fail(failure);
    this.#hasEnded = true;
    this.#reader.finish({ ...response, status });
    return this.#reader.drain();
  }

  #fail(failure: UpstreamFailure): GenerationEvent[] {
    this.#hasEnded = true;
    return [...this.#reader.drain(), { type: 'generation-error', failure }];
  }
}

/** The event's error is flat, or nested as in error bodies. */
function toFailure(event: ReadEvent): UpstreamFailure {
  const { error, message, code, param } = event;
  const given = isJsonObject(error) || typeof error === 'string' ? error : { message, code, param };
  return findFailure({ error: given }, true) ?? createGarbled(describeValue(event));
}
