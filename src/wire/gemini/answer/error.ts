import type { JsonObject } from '#base';
import type { GatewayError } from '#errors';

/** Google's names of HTTP statuses (google.rpc.Code). */
const STATUSES: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHENTICATED'],
  [402, 'FAILED_PRECONDITION'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [405, 'UNIMPLEMENTED'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

/** An error as Google's APIs send it; the gateway's error code is under `details`. */
export function encodeError(error: GatewayError): JsonObject {
  const { status: code, facts } = error;
  const { upstreamType, retryAfterSeconds } = facts;
  const isGoogleStatus = upstreamType !== undefined && /^[A-Z_]+$/.test(upstreamType);
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: error.code.toUpperCase(),
    domain: 'sluice',
    ...(error.param !== '' && { metadata: { param: error.param } }),
  };
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` };
  return {
    error: {
      code,
      message: error.message,
      status: isGoogleStatus
        ? upstreamType
        : (STATUSES.get(code) ?? (code >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')),
      details: retryAfterSeconds === undefined ? [info] : [info, retry],
    },
  };
}
