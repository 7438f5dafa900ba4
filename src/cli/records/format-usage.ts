import type { UsageGroup, UsageLine } from '#app';
import { formatUsd } from '#base';
import type { RecordNames } from '../terminal/names.ts';
import { formatTable } from '../terminal/table.ts';
import { TOKEN_COLUMNS, formatTokens } from './format-tokens.ts';

/** Groups whose values are ids of records. */
const NAMED: ReadonlySet<UsageGroup> = new Set(['organization', 'project', 'key', 'member', 'token']);

/** The ids of records in these lines. */
export function listNamed(lines: readonly UsageLine[]): string[] {
  return lines.flatMap(({ group }) => [...NAMED].flatMap((name) => group[name] ?? []));
}

/** Sums of requests as a table. */
export function formatUsage(
  by: readonly UsageGroup[],
  { lines, total }: { lines: readonly UsageLine[]; total: UsageLine },
  names: Pick<RecordNames, 'show'>,
): readonly string[] {
  return formatTable(
    [...by, 'requests', ...TOKEN_COLUMNS, 'customer usd', 'provider usd'],
    [
      ...lines.map((line) => [...by.map((name) => nameOf(line, name, names)), ...cellsOf(line)]),
      [...by.map((_, index) => (index === 0 ? 'total' : '')), ...cellsOf(total)],
    ],
  );
}

function cellsOf({ requests, usage, customer, provider }: UsageLine): string[] {
  const costs = [customer, provider].map((cost) => formatUsd(BigInt(cost)));
  return [String(requests), ...formatTokens(usage), ...costs];
}

function nameOf({ group, isOther }: UsageLine, name: UsageGroup, names: Pick<RecordNames, 'show'>): string {
  const value = group[name] ?? '';
  if (value !== '') return NAMED.has(name) ? names.show(value) : value;
  return isOther ? 'other' : '–';
}
