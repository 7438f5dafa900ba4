import type { TraceContext } from './trace-context.ts';

/** Which requests are exported. */
export interface SamplingRules {
  /** Whether the caller's decision is followed where there is one. */
  byParent: boolean;
  /** The share of the other traces, from 0 to 1. */
  ratio: number;
  /** Whether requests that fail are exported whatever the decision. */
  keepsErrors: boolean;
}

const RANDOM_FROM = 9;
const RANDOM_TO = 15;
const RANDOM_RANGE = 2 ** 48;

/**
 * Decides by the parent or, like other samplers of the same trace, by the last 56 bits of its id. The first 48 of them
 * are exact as a number.
 */
export function isSampled(
  { byParent, ratio }: SamplingRules,
  parent: TraceContext | undefined,
  traceId: Uint8Array,
): boolean {
  if (parent && byParent) return parent.isSampled;
  if (ratio >= 1) return true;
  let random = 0;
  for (const byte of traceId.subarray(RANDOM_FROM, RANDOM_TO)) random = random * 256 + byte;
  return random >= (1 - ratio) * RANDOM_RANGE;
}
