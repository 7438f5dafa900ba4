import type { GatewayError } from '#errors';
import type { InboundFormat } from '#wire';
import type { Reply } from '../request/arrival.ts';

/** The HTTP status an error has in a format. */
export function statusOf(format: InboundFormat, error: GatewayError): number {
  return error[format.errorStatus];
}

/** Writes an error in the caller's format. */
export function sendError(
  reply: Reply,
  format: InboundFormat,
  refusal: { error: GatewayError; requestId: string },
): void {
  const { error, requestId } = refusal;
  const { retryAfterSeconds } = error.facts;
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  };
  reply.send(statusOf(format, error), headers, JSON.stringify(format.encodeError(error, requestId)));
}
