import { type JsonObject, formatUsd } from '#base';
import type { MissSum } from './miss-sums.ts';

/** Sums of misses as JSON, with their total. */
export function encodeMisses(sums: readonly MissSum[]): JsonObject {
  const total = { requests: 0, tokens: 0, cost: 0n };
  for (const { requests, tokens, cost } of sums) {
    total.requests += requests;
    total.tokens += tokens;
    total.cost += cost;
  }
  return {
    object: 'list',
    data: sums.map((sum) => ({
      object: 'cache_misses',
      organization_id: sum.organizationId,
      project_id: sum.projectId,
      reason: sum.reason,
      ...{ requests: sum.requests, tokens: sum.tokens, cost: formatUsd(sum.cost) },
    })),
    total: { requests: total.requests, tokens: total.tokens, cost: formatUsd(total.cost) },
  };
}
