import {
  type Columns,
  type RecordNames,
  tableOf,
  type ReportCall,
  type TextTable,
  count,
  filter,
  flag,
  forOperator,
  listOf,
  mapOf,
  named,
  number,
  nullableOutput,
  objectOf,
  parsed,
  reportOf,
  outputText,
  text,
  usdDigits,
} from '#fields';
import { formatUsd } from '#base';
import { toTenants } from '../rows/log-filter.ts';
import { anyPeriod, answeredBy, describeHours, requestFilters } from '../request-inputs.ts';
import { MOST_TOP, USUAL_TOP } from '../usage/select-usage.ts';
import { TOKEN_COLUMNS, tokenMembers } from '../token-members.ts';
import { USAGE_GROUPS_HELP, type UsageGroup, readUsageGroups } from '../usage/usage-groups.ts';
import type { UsageLine, UsageReport } from '../usage/usage-line.ts';
import type { UsageReader } from '../usage/usage.ts';

const line = objectOf<UsageLine>()(
  {
    group: mapOf(outputText()),
    isOther: named('other', flag('', 'All groups beyond `top` together.')),
    requests: number(),
    usage: named('tokens', mapOf(number(), 'Disjoint parts.')),
    ...tokenMembers(),
    customer: named('cost', usdDigits),
    provider: forOperator(named('provider_cost', usdDigits)),
  },
  { name: 'usage' },
);

interface UsagePorts {
  usage: UsageReader;
}

/** The groups. */
const groups = {
  by: filter(
    parsed(readUsageGroups, `some of ${USAGE_GROUPS_HELP}, each once`),
    `What to group by, separated by commas: ${USAGE_GROUPS_HELP}; a single line by default.`,
    {
      flags: '--by <groups>',
      help: `${USAGE_GROUPS_HELP}; several with commas`,
      fallback: { value: ['model'], shown: 'model' },
    },
  ),
  top: filter(
    count({ least: 1, most: MOST_TOP }),
    `How many groups get a line, the most expensive ones; the others share one line. ${USUAL_TOP} by default, ${MOST_TOP} at most.`,
    {
      flags: '--top <lines>',
      help: 'how many groups get a line; the others are one',
      fallback: { value: USUAL_TOP },
    },
  ),
};
const hours = anyPeriod(describeHours());

/** The filters of callers who see their own usage. */
export const OWN_USAGE_FILTERS = { ...groups, ...hours };

export const usageReport = reportOf<UsagePorts>()({
  path: 'usage',
  summary: 'Sums of requests, tokens and cost, as exact as the ledger.',
  scope: 'logs:read',
  isForMembers: true,
  filters: {
    ...groups,
    ...requestFilters('organizationId', 'projectId', 'keyId', 'memberId'),
    ...answeredBy,
    clientName: filter(text(), 'Only requests of this client.', {
      flags: '--client <name>',
      help: 'only this client, such as claude-code',
    }),
    ...requestFilters('sessionId', 'agentId', 'endUserId'),
    ...hours,
  },
  answer: 'A line for each group, and the total.',
  output: objectOf<UsageReport>()(
    { lines: named('data', listOf(line)), total: nullableOutput(line) },
    { name: 'list' },
  ),
  read: ({ usage, input }) => usage.report(input, toTenants(input)),
  findNothing: () => ({ lines: [], total: undefined }),
  command: {
    heading: 'Usage and cost',
    name: 'usage',
    summary: 'Sum up the usage and cost of requests; figures agree with the ledger.',
    examples: ['usage', 'usage --by day --since 30d', 'usage --by session,model --since 1d --json'],
    isEmpty: ({ total }) => !total,
    empty: 'no requests',
    listNamed: ({ lines }) => lines.flatMap(({ group }) => [...NAMED].flatMap((name) => group[name] ?? [])),
    format: (report, { names, input: { by = [] } }) => [formatUsage(by, report, names)],
    remark: mentionMembers,
  },
});

/** Groups whose values are ids of records. */
const NAMED: ReadonlySet<UsageGroup> = new Set(['organization', 'project', 'key', 'member', 'token']);

/** Sums of requests as a table. */
export function formatUsage(
  by: readonly UsageGroup[],
  { lines, total }: UsageReport,
  names: Pick<RecordNames, 'show'>,
): TextTable {
  const show = (line: UsageLine, name: UsageGroup): string => {
    if (line !== total) return nameOf(line, name, names);
    return name === by[0] ? 'total' : '';
  };
  const groups: [UsageGroup, (line: UsageLine) => string][] = by.map((name) => [
    name,
    (line) => show(line, name),
  ]);
  const columns: Columns<UsageLine, 'requests'> = {
    ...Object.fromEntries(groups),
    requests: 'requests',
    ...TOKEN_COLUMNS,
    'customer usd': ({ customer }) => formatUsd(BigInt(customer)),
    'provider usd': ({ provider }) => formatUsd(BigInt(provider)),
  };
  return tableOf(columns, [...lines, ...(total ? [total] : [])]);
}

function nameOf({ group, isOther }: UsageLine, name: UsageGroup, names: Pick<RecordNames, 'show'>): string {
  const value = group[name] ?? '';
  if (value !== '') return NAMED.has(name) ? names.show(value) : value;
  return isOther ? 'other' : '–';
}

type Call = ReportCall<UsagePorts, { by?: readonly UsageGroup[] }>;

/** A hint where usage by end user finds none, but members have usage. */
async function mentionMembers({ lines }: UsageReport, { usage, input }: Call): Promise<string | undefined> {
  const { by = [] } = input;
  const isOfUsers = by.includes('user') && !by.includes('member') && lines.length > 0;
  if (!isOfUsers || lines.some(({ group }) => (group.user ?? '') !== '')) return undefined;
  const members = await usage.report({ ...input, by: ['member'], top: 2 }, toTenants(input));
  return members.lines.some(({ group }) => (group.member ?? '') !== '')
    ? 'no request names an end user; --by member sums up the keys of members'
    : undefined;
}
