import { createParamError } from '#errors';
import {
  type RecordNames,
  type ReportCall,
  type TextTable,
  type Columns,
  count,
  filter,
  reportOf,
  tableOf,
  text,
} from '#fields';
import { formatTime, formatUsd } from '#base';
import { inputTokensOf, outputTokensOf } from '#canonical';
import { logType } from '../encode-log.ts';
import { type LogFilter, toTenants } from '../rows/log-filter.ts';
import type { LogRow } from '../rows/log-row.ts';
import type { Logs } from '../rows/logs.ts';
import { allRequestFilters, anyPeriod } from '../request-inputs.ts';
import { findRow } from './find-row.ts';
import { type Page, idPageOf, readPage } from './page.ts';

const USUAL_LIMIT = 20;
const MOST = 100;
/** How many rows are read at once. */
const AT_ONCE = 1_000;

interface LogPorts {
  logs: Logs;
}

export const logsReport = reportOf<LogPorts>()({
  path: 'logs',
  summary: 'List requests and their outcomes, newest first.',
  scope: 'logs:read',
  isForMembers: true,
  filters: {
    ...allRequestFilters(),
    ...anyPeriod(),
    after: filter(text(), 'The `last_id` of the previous page.', {
      flags: '--after <request>',
      help: 'only what comes after this request in the list',
    }),
    limit: filter(
      count({ least: 1, most: MOST }),
      `The size of the page, 1 to ${MOST}; ${USUAL_LIMIT} by default.`,
      { flags: '--limit <rows>', help: 'how many rows', most: 100_000_000, fallback: { value: 50 } },
    ),
  },
  answer: 'A page of requests.',
  output: idPageOf(logType),
  read: readRows,
  findNothing: () => ({ rows: [], hasMore: false }),
  command: {
    heading: 'Usage and cost',
    name: 'logs',
    summary: 'List requests with their outcome, newest first.',
    examples: [
      'logs',
      'logs --follow',
      'logs --finish upstream_error --since 2h',
      'logs --error key_limit_reached',
      'logs --request req_…',
    ],
    isEmpty: ({ rows }) => rows.length === 0,
    empty: 'no requests',
    listNamed: ({ rows }) => rows.map(({ keyId }) => keyId),
    format: ({ rows }, { names }) => [formatRows(rows, names)],
  },
});

type Call = ReportCall<LogPorts, Omit<LogFilter, 'before'> & { after?: string; limit?: number }>;

async function readRows({ logs, input }: Call): Promise<Page<LogRow>> {
  const { after, limit = USUAL_LIMIT, ...filter } = input;
  const start = after === undefined ? undefined : await findRow({ logs, id: after, input });
  if (after !== undefined && !start) throw createParamError('after', 'must be the `last_id` of a page');
  return readPage(limit, async (wanted) => {
    const rows: LogRow[] = [];
    for (let last = start; rows.length < wanted; last = rows.at(-1)) {
      const most = Math.min(AT_ONCE, wanted - rows.length);
      const page = await logs.list({ ...filter, ...followRow(last), limit: most }, toTenants(input));
      rows.push(...page);
      if (page.length < most) break;
    }
    return rows;
  });
}

/** The filter for rows after this one. */
export const followRow = (last: LogRow | undefined): Pick<LogFilter, 'before'> =>
  last ? { before: { startedAt: last.startedAt, requestId: last.requestId } } : {};

const SHORT_ID = 12;

/** The beginning of a session's id distinguishes it from others; `--request` shows all of it. */
const shorten = (id = '–'): string => (id.length > SHORT_ID ? `${id.slice(0, SHORT_ID - 1)}…` : id);

const createColumns = (
  names: Pick<RecordNames, 'showShort'>,
): Columns<LogRow, 'providerId' | 'requestId' | 'clientName' | 'status'> => ({
  time: ({ startedAt }) => formatTime(startedAt),
  status: 'status',
  finish: (row) => (row.cached ? `${row.finishReason} (cached)` : (row.errorCode ?? row.finishReason)),
  model: ({ modelId, requestedModel }) => modelId ?? requestedModel,
  provider: 'providerId',
  in: ({ usage }) => String(inputTokensOf(usage)),
  cached: ({ usage }) => String(usage.inputCacheRead),
  written: ({ usage }) => String(usage.inputCacheWrite5m + usage.inputCacheWrite1h),
  out: ({ usage }) => String(outputTokensOf(usage)),
  usd: ({ customer }) => formatUsd(BigInt(customer)),
  ms: ({ durationMs }) => durationMs.toFixed(0),
  key: ({ keyId }) => names.showShort(keyId),
  client: 'clientName',
  session: ({ sessionId }) => shorten(sessionId),
  request: 'requestId',
});

/** Log rows as a table. */
export const formatRows = (rows: readonly LogRow[], names: Pick<RecordNames, 'showShort'>): TextTable =>
  tableOf(createColumns(names), rows);
