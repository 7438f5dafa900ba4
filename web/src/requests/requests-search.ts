import type { paths } from '../api/schema.ts';

type LogParam = keyof NonNullable<paths['/admin/v1/logs']['get']['parameters']['query']>;
export type FilterName = Exclude<LogParam, 'since' | 'until' | 'after' | 'limit'>;

/** What requests are filtered by: the parameters of the API, with the names that are shown. */
export const FILTERS: Readonly<Record<FilterName, string>> = {
  organization_id: 'Organization',
  project_id: 'Project',
  key_id: 'Key',
  member_id: 'Member',
  model: 'Model',
  provider_id: 'Provider',
  finish_reason: 'Ended',
  error_code: 'Error code',
  client_name: 'Client',
  user_agent: 'User agent',
  session_id: 'Session',
  agent_id: 'Agent',
  parent_agent_id: 'Parent agent',
  run_id: 'Run',
  turn_id: 'Turn',
  end_user_id: 'End user',
  session_token_id: 'Session token',
  tag: 'Tag',
  search: 'Text',
};
export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

/** Spans before now, in hours. */
export const RANGES = {
  hour: { hours: 1, name: 'Last hour' },
  day: { hours: 24, name: 'Last 24 hours' },
  week: { hours: 168, name: 'Last 7 days' },
  month: { hours: 720, name: 'Last 30 days' },
} as const;
export type Range = keyof typeof RANGES;

/** The address of the list of requests. */
export type RequestsSearch = { [Name in FilterName | 'since' | 'until']?: string } & {
  range?: Range;
  live?: boolean;
};

const HOUR_MS = 3_600_000;

export function readRequestsSearch(search: Record<string, unknown>): RequestsSearch {
  const read: RequestsSearch = search['live'] === false ? { live: false } : {};
  for (const name of FILTER_NAMES) {
    const text = readText(search[name]);
    if (text !== '') read[name] = text;
  }
  const { range } = search;
  if (typeof range === 'string' && Object.hasOwn(RANGES, range)) return { ...read, range: range as Range };
  for (const name of ['since', 'until'] as const) {
    const text = readText(search[name]);
    if (text !== '' && !Number.isNaN(Date.parse(text))) read[name] = text;
  }
  return read;
}

/** An id may look like a number in an address. */
const readText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

type LogQuery = Omit<RequestsSearch, 'live' | 'range'>;

/** The query of the API; a range is counted back from now. */
export function toLogQuery({ live: _live, range, ...query }: RequestsSearch, now = Date.now()): LogQuery {
  return range === undefined
    ? query
    : { ...query, since: new Date(now - RANGES[range].hours * HOUR_MS).toISOString() };
}
