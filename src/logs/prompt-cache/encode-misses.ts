import { type JsonObject, encodeMembers, formatUsd } from '#base';
import type { CacheReport } from './miss-sums.ts';

/** Sums of misses and of what marks saved as JSON, with their totals. */
export function encodeMisses({ misses, marks }: CacheReport): JsonObject {
  const total = { requests: 0, tokens: 0, cost: 0n };
  for (const { requests, tokens, cost } of misses) {
    total.requests += requests;
    total.tokens += tokens;
    total.cost += cost;
  }
  const saved = marks.reduce((sum, one) => sum + one.saved, 0n);
  return {
    object: 'list',
    data: misses.map((sum) => ({
      object: 'cache_misses',
      ...encodeMembers(sum, ['organizationId', 'projectId', 'reason', 'requests']),
      ...encodeMembers(sum, ['tokens', 'cost', 'requestIds']),
    })),
    total: encodeMembers(total, ['requests', 'tokens', 'cost']),
    marks: marks.map((sum) => ({
      object: 'cache_marks',
      ...encodeMembers(sum, ['organizationId', 'projectId', 'requests', 'saved']),
    })),
    saved: formatUsd(saved),
  };
}
