import type { JsonObject } from '#base';
import type { Mapping } from '#catalogue';
import type { MediaExchange, MediaResult, WholeAnswer } from './contract.ts';
import type { UpstreamFailure } from '#errors';
import { parseJsonObject } from '#base';
import { findFailure, getOutboundFormat } from '#wire';

const MOST_DETAIL = 2_048;

/** Errors of OpenAI's shape, and of all that are near it. */
export const { decodeFailure } = getOutboundFormat('chat');

/** A body for a provider of the caller's own form: all it said, under the provider's name for the model. */
export function forwardBody(body: JsonObject, { externalId, dialect }: Mapping): JsonObject {
  const kept = Object.entries(body).filter(([name]) => !dialect.refusedFields.includes(name));
  return { ...Object.fromEntries(kept), model: externalId };
}

/** What reads a JSON answer; one that is none, or an error, is a failure. */
export function decodingJson(
  decode: (body: JsonObject) => MediaResult | UpstreamFailure,
): MediaExchange['answer'] {
  return {
    manner: 'whole',
    decode: (answer) => {
      const body = parseJsonObject(answer.bytes.toString('utf8'));
      if (!body) return createGarbled(answer);
      return findFailure(body) ?? decode(body);
    },
  };
}

/** The failure of an answer that is not what was asked for. */
export function createGarbled({ bytes }: Pick<WholeAnswer, 'bytes'>): UpstreamFailure {
  return {
    kind: 'garbled',
    message: 'the provider answered something that is not its format',
    detail: bytes.toString('utf8', 0, MOST_DETAIL),
  };
}

export function toJsonResult(body: JsonObject, reported?: MediaResult['reported']): MediaResult {
  return { contentType: 'application/json', body, ...(reported && { reported }) };
}
