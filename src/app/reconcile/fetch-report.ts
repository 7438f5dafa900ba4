import type { ReportReader } from '#providers';
import type { ReportSource } from '#advice';
import { parseJsonObject } from '#base';

/** Which part of an account an export is of. */
export interface ExportFilter {
  apiKeyIds?: readonly string[] | undefined;
  /** Workspaces of Anthropic, projects of OpenAI. */
  partIds?: readonly string[] | undefined;
}

interface ReportRequest {
  source: ReportSource;
  baseUrl: string;
  since: number;
  until: number;
  filter: ExportFilter;
}

const MOST_PAGES = 500;
const DAY_MS = 86_400_000;
/** Anthropic reports at most 31 days at once. */
const MOST_SPAN_MS = 31 * DAY_MS;

export const BASE_URLS: Record<ReportSource, string> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
};

/** The headers of a request with an administration key. */
export function toHeaders(source: ReportSource, key: string): Record<string, string> {
  return source === 'openai'
    ? { authorization: `Bearer ${key}` }
    : {
        'x-api-key': key,
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'analytics-usage-cost-2026-08-24',
      };
}

/** Every page of usage and costs. */
export async function fetchPages(
  reader: Pick<ReportReader, 'read'>,
  asked: ReportRequest,
): Promise<{ name: string; text: string }[]> {
  const pages: { name: string; text: string }[] = [];
  for (const span of splitSpan(asked)) {
    for (const address of listAddresses({ ...asked, ...span })) {
      const found = await fetchAll(reader, address, MOST_PAGES - pages.length);
      pages.push(...found.map((text, at) => ({ name: `${address.pathname}, page ${at + 1}`, text })));
    }
  }
  return pages;
}

function splitSpan({
  since,
  until,
}: Pick<ReportRequest, 'since' | 'until'>): { since: number; until: number }[] {
  const count = Math.ceil((until - since) / MOST_SPAN_MS);
  return Array.from({ length: count }, (_, at) => ({
    since: since + at * MOST_SPAN_MS,
    until: Math.min(until, since + (at + 1) * MOST_SPAN_MS),
  }));
}

async function fetchAll(reader: Pick<ReportReader, 'read'>, first: URL, most: number): Promise<string[]> {
  const pages: string[] = [];
  const seen = new Set<string>();
  let address = first;
  for (;;) {
    if (pages.length >= most)
      throw new Error(`${first.pathname} has more than ${MOST_PAGES} pages; narrow the time`);
    const text = await reader.read(address);
    pages.push(text);
    const { has_more: hasMore, next_page: next } = parseJsonObject(text) ?? {};
    if (hasMore !== true) return pages;
    if (typeof next !== 'string' || seen.has(next))
      throw new Error(`${first.pathname}: page ${pages.length} names no next page`);
    seen.add(next);
    address = new URL(first);
    address.searchParams.set('page', next);
  }
}

function listAddresses(asked: ReportRequest): URL[] {
  return asked.source === 'openai' ? listOpenai(asked) : listAnthropic(asked);
}

/** The usage and cost analytics API, which has costs per hour and numbers of requests, unlike the earlier reports. */
function listAnthropic({ baseUrl, since, until, filter }: ReportRequest): URL[] {
  const common = {
    starting_at: toTime(since),
    ending_at: toTime(until),
    time_bucket_width: '1h',
    order_by: 'time',
    order: 'asc',
    limit: '1000',
    'api_key_ids[]': filter.apiKeyIds,
    'workspace_ids[]': filter.partIds,
  };
  const dimensions = ['model', 'service_tier', 'context_window', 'inference_geo', 'speed'];
  return [
    compose(baseUrl, 'organizations/analytics/usage', { ...common, 'group_by[]': dimensions }),
    compose(baseUrl, 'organizations/analytics/cost', { ...common, 'group_by[]': dimensions }),
  ];
}

/** Costs are per day, so part of a day cannot be compared. */
function listOpenai({ baseUrl, since, until, filter }: ReportRequest): URL[] {
  const common = { 'api_key_ids[]': filter.apiKeyIds, 'project_ids[]': filter.partIds };
  const [firstDay, lastDay] = [Math.ceil(since / DAY_MS) * DAY_MS, Math.floor(until / DAY_MS) * DAY_MS];
  const bounds = (from: number, to: number) => ({
    start_time: String(from / 1_000),
    end_time: String(to / 1_000),
  });
  return [
    compose(baseUrl, 'organization/usage/completions', {
      ...bounds(since, until),
      bucket_width: '1h',
      limit: '168',
      ...common,
      'group_by[]': ['model', 'service_tier', 'batch'],
    }),
    ...(firstDay < lastDay
      ? [
          compose(baseUrl, 'organization/costs', {
            ...bounds(firstDay, lastDay),
            bucket_width: '1d',
            limit: '180',
            ...common,
            'group_by[]': ['line_item'],
          }),
        ]
      : []),
  ];
}

type Query = Record<string, string | readonly string[] | undefined>;

function compose(baseUrl: string, path: string, query: Query): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/${path}`);
  for (const [name, value] of Object.entries(query))
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) url.searchParams.append(name, one);
  return url;
}

const toTime = (moment: number): string => new Date(moment).toISOString().replace('.000Z', 'Z');
