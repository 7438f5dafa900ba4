import type { JsonObject } from '#base';
import { type GatewayError, getErrorEntry } from '#errors';

/** Encodes an error for the OpenAI formats; an upstream's own type, code and param win over ours. */
export function encodeError(error: GatewayError): JsonObject {
  return { error: encodeErrorMember(error) };
}

/** The `error` member of an error body or an `error` event. */
export function encodeErrorMember(error: GatewayError): JsonObject {
  const { upstreamType, upstreamCode } = error.facts;
  return {
    message: error.message,
    type: upstreamType ?? getErrorEntry(error.code).openaiType,
    param: error.param,
    code: upstreamCode ?? error.code,
  };
}

/** The `error` of a failed response. Its codes are a closed list, by which clients decide whether to retry. */
export function encodeResponseError(error: GatewayError): JsonObject {
  return { code: toResponseCode(error), message: error.message };
}

function toResponseCode(error: GatewayError): string {
  if (error.blame === 'client') return error.facts.upstreamCode ?? 'invalid_prompt';
  return error.code === 'upstream_rate_limited' ? 'rate_limit_exceeded' : 'server_error';
}
