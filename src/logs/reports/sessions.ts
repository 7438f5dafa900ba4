import { formatTime } from '#base';
import {
  type RecordNames,
  type ReportCall,
  type TextTable,
  choice,
  count,
  filter,
  reportOf,
  tableOf,
  text,
} from '#fields';
import { toTenants } from '../rows/log-filter.ts';
import { periodOf, requestFilters } from '../request-inputs.ts';
import { formatShare, sessionLine } from '../session-type.ts';
import { SESSION_ORDERS, type SessionFilter, type SessionLine, type Sessions } from '../sessions/sessions.ts';
import { TOKEN_COLUMNS } from '../token-members.ts';
import { type Page, pageOf, readPage } from './page.ts';

interface SessionPorts {
  sessions: Sessions;
}

const USUAL_LIMIT = 20;
const MOST = 100;
const MOST_OFFSET = 100_000;

/** The filters of callers who see their own sessions. */
export const OWN_SESSION_FILTERS = {
  ...requestFilters('clientName', 'endUserId'),
  ...periodOf(1),
  sort: filter(
    choice(SESSION_ORDERS),
    '`latest` (the default): those with the latest requests first; `cost`: the most expensive first.',
    { flags: '--sort <order>', help: 'which come first (default: latest)' },
  ),
  limit: filter(
    count({ least: 1, most: MOST }),
    `How many sessions, 1 to ${MOST}; ${USUAL_LIMIT} by default.`,
    { flags: '--limit <sessions>', help: 'how many sessions', most: 1_000, fallback: { value: USUAL_LIMIT } },
  ),
  offset: filter(
    count({ least: 0, most: MOST_OFFSET }),
    `How many of them to skip, 0 to ${MOST_OFFSET}: those of the pages before.`,
    { flags: '--offset <sessions>', help: 'how many of them to leave out' },
  ),
};

export const sessionsReport = reportOf<SessionPorts>()({
  path: 'sessions',
  summary: 'List sessions of clients, those with the latest requests or the highest cost first.',
  scope: 'logs:read',
  isForMembers: true,
  filters: {
    organizationId: filter(text(), 'Only sessions of this organization.', '--org <id>'),
    ...requestFilters('projectId', 'keyId', 'memberId'),
    ...OWN_SESSION_FILTERS,
  },
  answer: 'The sessions, with the sums of their requests since then.',
  output: pageOf(sessionLine),
  read: readSessions,
  findNothing: () => ({ rows: [], hasMore: false }),
  command: {
    heading: 'Usage and cost',
    group: {
      name: 'sessions',
      summary: 'Show what sessions of coding agents and other clients cost.',
      isDefault: true,
    },
    name: 'list',
    examples: [
      'sessions list',
      'sessions list --client claude-code --since 7d',
      'sessions list --sort cost --since 2d --until 1d',
      'sessions list --user ann --json',
    ],
    isEmpty: ({ rows }) => rows.length === 0,
    empty: 'no sessions; docs/usage.md names the headers of a session',
    listNamed: ({ rows }) => rows.flatMap(({ keyIds }) => keyIds),
    format: ({ rows }, { names }) => [formatSessions(rows, names)],
  },
});

type Call = ReportCall<SessionPorts, Omit<SessionFilter, 'limit'> & { limit?: number }>;

/** A page of sessions. */
export function readSessions({
  sessions,
  input,
}: Pick<Call, 'sessions' | 'input'>): Promise<Page<SessionLine>> {
  const { limit = USUAL_LIMIT } = input;
  return readPage(limit, (most) => sessions.list({ ...input, limit: most }, toTenants(input)));
}

/** Sessions as a table. */
export const formatSessions = (
  rows: readonly SessionLine[],
  names: Pick<RecordNames, 'showShort'>,
): TextTable =>
  tableOf<SessionLine>(
    {
      session: 'sessionId',
      key: ({ keyIds }) => keyIds.map((id) => names.showShort(id)).join(', '),
      client: 'clientName',
      'last request': ({ lastAt }) => formatTime(lastAt),
      requests: 'requests',
      failed: 'failed',
      agents: 'agents',
      ...TOKEN_COLUMNS,
      cache: ({ usage }) => formatShare(usage),
      usd: 'customer',
      user: 'endUserId',
    },
    rows,
  );
