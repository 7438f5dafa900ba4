import type { UsageGroup, UsageLine } from '#app';
import { formatUsd } from '#base';
import { formatTable } from '../terminal/table.ts';
import { TOKEN_COLUMNS, formatTokens } from './format-tokens.ts';

/** Sums of requests as a table. */
export function formatUsage(
  by: readonly UsageGroup[],
  lines: readonly UsageLine[],
  total: UsageLine,
): readonly string[] {
  return formatTable(
    [...by, 'requests', ...TOKEN_COLUMNS, 'customer usd', 'provider usd'],
    [
      ...lines.map((line) => [...by.map((name) => nameOf(line, name)), ...cellsOf(line)]),
      [...by.map((_, index) => (index === 0 ? 'total' : '')), ...cellsOf(total)],
    ],
  );
}

function cellsOf({ requests, usage, customer, provider }: UsageLine): string[] {
  const costs = [customer, provider].map((cost) => formatUsd(BigInt(cost)));
  return [String(requests), ...formatTokens(usage), ...costs];
}

function nameOf({ group, isOther }: UsageLine, name: UsageGroup): string {
  const value = group[name] ?? '';
  if (value !== '') return value;
  return isOther ? 'other' : '–';
}
