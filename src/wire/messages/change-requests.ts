import type { CanonicalRequest } from '#canonical';
import type { OutboundFormat } from '../contract.ts';

/** Wraps a format that lacks what requests of Messages may have: it encodes them as changed. */
export function changingRequests(
  format: OutboundFormat,
  change: (request: CanonicalRequest) => CanonicalRequest,
): OutboundFormat {
  if (format.id === 'messages') return format;
  return {
    ...format,
    openExchange: (request, target) =>
      format.openExchange(request.origin.format === 'messages' ? change(request) : request, target),
  };
}
