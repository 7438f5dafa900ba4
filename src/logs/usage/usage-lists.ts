import {
  type UsageDimension,
  type UsageGroup,
  columnOf,
  hasUnnamed,
  isUnnamed,
  tagOf,
} from './usage-groups.ts';

/** A group, and its column in statements and what they return. */
export interface Group {
  group: UsageGroup;
  name: string;
}

/** A combination of names, by their columns `by_0`, `by_1` … */
export type GroupNames = Record<string, string>;

/** The join alone would read every line; this finds those of some names by their index. */
export function composeLists(ranked: readonly Group[], { top = [], bind }: Listing): string {
  const columns = ranked.filter(({ group }) => tagOf(group) === undefined);
  return columns
    .map(({ group, name }) => {
      const values = listValues(top, name);
      return composeAmong(columnOf(group as UsageDimension), `${bind(values)}::text[]`, values);
    })
    .join('');
}

/** The only combinations to sum up, and what adds their values to the statement. */
interface Listing {
  top?: readonly GroupNames[] | undefined;
  bind: (value: unknown) => string;
}

/** Each once: PostgreSQL expects lines of each. */
const listValues = (top: readonly GroupNames[], name: string): string[] => [
  ...new Set(top.map((line) => line[name] ?? '')),
];

/**
 * Conditions for lines of two names that have at least one of them, which indexes find, and for those that have neither, which are
 * summed up by themselves. Undefined where all have a name, or filters need what those sums do not have.
 */
export function divideNames(
  ranked: readonly Group[],
  { top = [], bind, filtered }: Listing & { filtered: readonly string[] },
): { named: string; unnamed: string } | undefined {
  const columns = ranked.flatMap(({ group, name }) =>
    isUnnamed(group) ? [{ name, column: columnOf(group) }] : [],
  );
  const isDivided = columns.length === 2 && ranked.length === 2 && hasUnnamed(filtered);
  if (!isDivided || !top.some((line) => columns.every(({ name }) => line[name] === ''))) return undefined;
  const named = columns.map(({ name, column }) => {
    const values = listValues(top, name).filter((value) => value !== '');
    return `${column} = ANY (${bind(values)}::text[]) AND ${column} <> ''`;
  });
  const unnamed = columns.map(({ column }) => ` AND ${column} = ''`);
  return { named: ` AND (${named.join(' OR ')})`, unnamed: unnamed.join('') };
}

/** For more than 100 values, an index without empty names is used only if the query excludes them. */
export function composeAmong(column: string, list: string, values: readonly string[]): string {
  const named = values.includes('') ? '' : ` AND ${column} <> ''`;
  return ` AND ${column} = ANY (${list})${named}`;
}
