import { type JsonObject, formatUsd, toSnakeCaseMembers } from '#base';
import { type CacheMiss, describeMiss } from '../rows/miss.ts';

/** A miss as JSON. */
export function encodeMiss(miss: CacheMiss): JsonObject {
  return {
    text: describeMiss(miss),
    reasons: miss.reasons.map((reason) => toSnakeCaseMembers(reason)),
    tokens: miss.tokens,
    cost: formatUsd(BigInt(miss.cost)),
    reported: miss.reported ?? null,
  };
}
