import type { JsonObject } from '#base';
import type { GatewayError } from '#errors';

/** The `error` of a failed response. Its codes are a closed list, by which clients decide whether to retry. */
export function encodeResponseError(error: GatewayError): JsonObject {
  return { code: toResponseCode(error), message: error.message };
}

function toResponseCode(error: GatewayError): string {
  if (error.blame === 'client') return error.facts.upstreamCode ?? 'invalid_prompt';
  return error.code === 'upstream_rate_limited' ? 'rate_limit_exceeded' : 'server_error';
}
