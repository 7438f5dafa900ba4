import { type JsonObject, formatUsd } from '#base';
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
      organization_id: sum.organizationId,
      project_id: sum.projectId,
      reason: sum.reason,
      requests: sum.requests,
      tokens: sum.tokens,
      cost: formatUsd(sum.cost),
      request_ids: [...sum.requestIds],
    })),
    total: { requests: total.requests, tokens: total.tokens, cost: formatUsd(total.cost) },
    marks: marks.map((sum) => ({
      object: 'cache_marks',
      organization_id: sum.organizationId,
      project_id: sum.projectId,
      requests: sum.requests,
      saved: formatUsd(sum.saved),
    })),
    saved: formatUsd(saved),
  };
}
