import { toCsv } from '../parts/csv.ts';
import { type UsageLine, answeredOf, cachedOf, freshOf, reasoningOf, writtenOf } from './sums.ts';

const TOKENS = {
  fresh_tokens: freshOf,
  cached_tokens: cachedOf,
  cache_write_tokens: writtenOf,
  output_tokens: answeredOf,
  reasoning_tokens: reasoningOf,
} as const;

interface SumsOf {
  lines: readonly UsageLine[];
  by: string;
  /** Of groups that are ids. */
  names: ReadonlyMap<string, string>;
}

/** The sums of groups, with every digit of their cost in USD. */
export function sumsToCsv({ lines, by, names }: SumsOf): string {
  const head = toCsv([by, 'name', 'requests', 'cost', ...Object.keys(TOKENS)]);
  const rows = lines.map(({ other, group, requests, cost, tokens }) => {
    const id = other ? 'all others' : (group[by] ?? '');
    return toCsv([id, names.get(id), requests, cost, ...Object.values(TOKENS).map((count) => count(tokens))]);
  });
  return head + rows.join('');
}
