import type { JsonObject } from '#base';
import type { Usage } from '#canonical';
import type { UsageLine } from './usage-line.ts';
import { formatUsd } from '#base';
import { inputTokensOf, outputTokensOf } from '#canonical';

/** The counts that most readers want, as sums of the disjoint parts. */
export function encodeTokens(usage: Usage): JsonObject {
  return {
    input_tokens: inputTokensOf(usage),
    cached_tokens: usage.inputCacheRead,
    cache_write_tokens: usage.inputCacheWrite5m + usage.inputCacheWrite1h,
    output_tokens: outputTokensOf(usage),
    reasoning_tokens: usage.outputReasoning,
  };
}

/** A report of usage as JSON. The provider's cost is included only for the operator (`isOperator`). */
export function encodeUsage(
  { lines, total }: { lines: readonly UsageLine[]; total: UsageLine | undefined },
  isOperator: boolean,
): JsonObject {
  return {
    object: 'list',
    data: lines.map((line) => encodeLine(line, isOperator)),
    total: total ? encodeLine(total, isOperator) : null,
  };
}

function encodeLine(line: UsageLine, isOperator: boolean): JsonObject {
  const { group, isOther, requests, usage, customer, provider } = line;
  return {
    object: 'usage',
    group: { ...group },
    other: isOther,
    requests,
    tokens: { ...usage },
    ...encodeTokens(usage),
    cost: formatUsd(BigInt(customer)),
    ...(isOperator && { provider_cost: formatUsd(BigInt(provider)) }),
  };
}
