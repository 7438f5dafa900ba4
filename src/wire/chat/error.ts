import type { JsonObject } from '#base';
import { type GatewayError, getErrorEntry } from '#errors';

/** Encodes an error for the OpenAI formats; an upstream's own type, code and param win over ours. */
export function encodeError(error: GatewayError): JsonObject {
  const { upstreamType, upstreamCode } = error.facts;
  return {
    error: {
      message: error.message,
      type: upstreamType ?? getErrorEntry(error.code).openaiType,
      param: error.param,
      code: upstreamCode ?? error.code,
    },
  };
}
