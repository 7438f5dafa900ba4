import type { HttpHeaders } from '#base';

/** The span that called the gateway, from `traceparent` and `tracestate` (W3C Trace Context). */
export interface TraceContext {
  /** Hexadecimal: 32 and 16 digits. */
  traceId: string;
  spanId: string;
  isSampled: boolean;
  /** Entries of other systems; passed on unchanged. */
  state?: string;
}

/** Later versions may append fields, version 00 must not. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const SAMPLED = 1;
const MOST_STATE = 512;

/** The context of a request; undefined if it has none, or one that is invalid. */
export function readTraceContext({ traceparent, tracestate }: HttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const match = TRACEPARENT.exec(traceparent);
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (version === '00' && more !== undefined) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  const hasState = typeof tracestate === 'string' && tracestate !== '' && tracestate.length <= MOST_STATE;
  return { traceId, spanId, isSampled, ...(hasState && { state: tracestate }) };
}

/** The value of `traceparent` for a call that is made within a span. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
