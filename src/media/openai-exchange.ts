import type { JsonObject, SseMessage } from '#base';
import type { Mapping } from '#catalogue';
import type { EventReading, MediaExchange, MediaResult, WholeAnswer } from './contract.ts';
import type { UpstreamFailure } from '#errors';
import { parseJsonObject } from '#base';
import { findFailure, getOutboundFormat } from '#wire';

const MOST_DETAIL = 2_048;

/** Decodes errors in OpenAI's format and similar ones. */
export const { decodeFailure } = getOutboundFormat('chat');

/** A body for a provider of the caller's own format: unchanged except for the model's name. */
export function forwardBody(body: JsonObject, { externalId, dialect }: Mapping): JsonObject {
  const kept = Object.entries(body).filter(([name]) => !dialect.refusedFields.includes(name));
  return { ...Object.fromEntries(kept), model: externalId };
}

/** Decodes a JSON answer; anything else, or an error, is a failure. */
export function decodingJson(
  decode: (body: JsonObject) => MediaResult | UpstreamFailure,
): MediaExchange['answer'] {
  return {
    type: 'whole',
    decode: (answer) => {
      const body = parseJsonObject(answer.bytes.toString('utf8'));
      if (!body) return createGarbled(answer);
      return findFailure(body) ?? decode(body);
    },
  };
}

/** Reads the events of a stream; `read` interprets those that are no error. */
export function readingEvents(
  read: (body: JsonObject) => Pick<EventReading, 'isLast' | 'reported'>,
): (message: SseMessage) => EventReading {
  return (message) => {
    if (message.data === '[DONE]') return {};
    const body = parseJsonObject(message.data);
    if (!body) return { failure: createGarbled({ bytes: Buffer.from(message.data) }) };
    const failure = findFailure(body, message.event === 'error');
    return failure ? { failure } : { message, ...read(body) };
  };
}

/** The failure for an answer in an unexpected format. */
export function createGarbled({ bytes }: Pick<WholeAnswer, 'bytes'>): UpstreamFailure {
  return {
    kind: 'garbled',
    message: 'the provider returned a malformed response',
    detail: bytes.toString('utf8', 0, MOST_DETAIL),
  };
}

export function toJsonResult(body: JsonObject, reported?: MediaResult['reported']): MediaResult {
  return { contentType: 'application/json', body, ...(reported && { reported }) };
}
