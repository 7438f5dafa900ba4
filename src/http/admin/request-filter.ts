import type { LogFilter } from '#logs';
import { readTime } from '#accounts';
import { type SnakeCase, toSnakeCase } from '#base';
import { FILTER_NAMES, type FilterName, type FilterSpec, REQUEST_FILTERS } from '#logs';
import { type Query, refuse } from './read-query.ts';

type FilterParam = SnakeCase<FilterName>;
type Filters = Omit<LogFilter, 'before' | 'limit'>;

/** The parameters of all filters of requests but time. */
export const FILTER_QUERY = Object.fromEntries(
  Object.entries(REQUEST_FILTERS).map(([name, [, , requests]]) => [
    toSnakeCase(name),
    `Only requests ${requests}.`,
  ]),
) as Readonly<Record<FilterParam, string>>;

/** The parameters of some filters. */
export function describeFilters(...params: readonly FilterParam[]): Record<string, string> {
  return Object.fromEntries(params.map((param) => [param, FILTER_QUERY[param]]));
}

/** The model and provider that answered, where only these are compared. */
export const ANSWERED = {
  model: 'Only requests that this model answered.',
  provider: FILTER_QUERY.provider_id,
};

/** The parameters of a time that starts with `usual`, such as “the last day”, unless the query sets another start. */
export const describeTime = (usual?: string): { since: string; until: string } => ({
  since: `Only requests that started at this time (ISO 8601) or later${usual === undefined ? '' : `; by default of ${usual}`}.`,
  until: 'Only requests that started before this time.',
});

/** `findTenant` reads the organization, and checks it. */
const READ_NAMES = FILTER_NAMES.filter((name) => name !== 'organizationId');

/** The requests that a query selects. Endpoints name the parameters that they take; others were refused before. */
export function readRequestFilter(query: Query): Filters {
  const times = readTimes(query);
  const filter: Partial<Record<FilterName, string>> = {};
  for (const name of READ_NAMES) {
    const value = readFilter(name, query);
    if (value !== undefined) filter[name] = value;
  }
  return { ...(filter as Omit<Filters, keyof typeof times>), ...times };
}

/** `provider` is another name of `provider_id`. */
function readFilter(name: FilterName, query: Query): string | undefined {
  const param = toSnakeCase(name);
  const value = query[param] ?? (name === 'providerId' ? query['provider'] : undefined);
  const [, , , values]: FilterSpec = REQUEST_FILTERS[name];
  if (value !== undefined && values?.includes(value) === false)
    throw refuse(param, `must be one of ${values.join(', ')}`);
  return value;
}

function readTimes({ since: from, until: to }: Query): Pick<Filters, 'since' | 'until'> {
  const since = from === undefined ? undefined : readTime(from, 'since');
  const until = to === undefined ? undefined : readTime(to, 'until');
  if (since !== undefined && until !== undefined && since > until)
    throw refuse('since', 'must not be after until');
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** The same, for a time that starts at `usualStart` unless the query sets another start. */
export function readFilterSince(query: Query, usualStart: number): Filters & { since: number } {
  const filter = { since: usualStart, ...readRequestFilter(query) };
  if (filter.until !== undefined && filter.since > filter.until)
    throw refuse('since', 'is missing, and its default is after until');
  return filter;
}
