import { type JsonObject, formatUsd, toSnakeCase } from '#base';
import { type CacheMiss, type MissReason, describeMiss } from './miss.ts';

/** A miss as JSON. */
export function encodeMiss(miss: CacheMiss): JsonObject {
  return {
    text: describeMiss(miss),
    reasons: miss.reasons.map(encodeReason),
    tokens: miss.tokens,
    cost: formatUsd(BigInt(miss.cost)),
    reported: miss.reported ?? null,
  };
}

function encodeReason(reason: MissReason): JsonObject {
  return Object.fromEntries(Object.entries(reason).map(([name, value]) => [toSnakeCase(name), value]));
}
