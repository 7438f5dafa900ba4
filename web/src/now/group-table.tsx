import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Column, DataTable, Note } from '../parts/lists/data-table.tsx';
import { describeFinish } from '../parts/endings.ts';
import { capitalize, formatCount, formatTime } from '../parts/format.ts';
import { saveFile } from '../parts/save-file.ts';
import { Section } from '../parts/section.tsx';
import { Empty } from '../parts/state.tsx';
import { useNamesOf } from '../parts/names/use-names.ts';
import { Usd } from '../parts/values.tsx';
import type { FilterName, RequestsSearch } from '../requests/requests-search.ts';
import { type UsageBy, nameGroup } from './now-search.ts';
import { sumsToCsv } from './sums-csv.ts';
import {
  type LatencyLine,
  type UsageLine,
  answeredOf,
  cachedOf,
  freshOf,
  reasoningOf,
  writtenOf,
} from './sums.ts';

const SUMS: readonly Column<UsageLine>[] = [
  { head: 'Spend', kind: 'figure', cell: ({ cost }) => <Usd exact={cost} /> },
  { head: 'Requests', kind: 'figure', cell: ({ requests }) => formatCount(requests) },
  {
    head: 'Input tokens',
    kind: 'figure',
    cell: ({ tokens }) => formatCount(freshOf(tokens) + cachedOf(tokens) + writtenOf(tokens)),
  },
  { head: 'Cached tokens', kind: 'figure', cell: ({ tokens }) => formatCount(cachedOf(tokens)) },
  {
    head: 'Output tokens',
    kind: 'figure',
    cell: ({ tokens }) => formatCount(answeredOf(tokens) + reasoningOf(tokens)),
  },
];
/** Of these there are times. */
export const TIMED: readonly UsageBy[] = ['model', 'provider', 'member', 'project', 'organization'];

interface GroupTableProps {
  lines: readonly UsageLine[];
  times: readonly LatencyLine[] | undefined;
  by: UsageBy;
  /** What the period and the scope of the page are for the list of requests. */
  shown: RequestsSearch;
}

/** The sums of each group, the most expensive first. */
export function GroupTable({ lines, times, by, shown }: GroupTableProps) {
  const names = useNamesOf(
    NAMED.includes(by) ? lines.map(({ group }) => group[by] ?? '').filter(Boolean) : [],
  );
  const called = nameGroup(by);
  const time = timeOf(times, by);
  const timed = TIMED.includes(by)
    ? [
        time('First token, p50', (line) => line.time_to_first_token?.p50),
        time('First token, p95', (line) => line.time_to_first_token?.p95),
        time('Answer, p50', (line) => line.duration?.p50),
        time('Answer, p95', (line) => line.duration?.p95),
      ]
    : [];
  const sorted = [...lines].sort((a, b) => Number(b.cost) - Number(a.cost) || b.requests - a.requests);
  if (sorted.length === 0)
    return <Empty title="No requests in this period">Choose a longer period, or send one.</Empty>;
  const nameLine = ({ other, group }: UsageLine): ReactNode =>
    other ? 'all others' : <Group by={by} names={names} shown={shown} id={group[by] ?? ''} />;
  return (
    <Section title={`By ${called}`} action={<SaveSums lines={sorted} by={by} names={names} />}>
      <DataTable
        label={`Usage by ${called}`}
        columns={[{ head: capitalize(called), kind: 'name', cell: nameLine }, ...SUMS, ...timed]}
        rows={sorted}
        keyOf={({ other, group }) => (other ? 'other' : `of ${group[by] ?? ''}`)}
        miw={timed.length > 0 ? 960 : 640}
      />
    </Section>
  );
}

function SaveSums(sums: Parameters<typeof sumsToCsv>[0]) {
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => saveFile(`usage-by-${sums.by}.csv`, new Blob([sumsToCsv(sums)]))}
    >
      Save as CSV
    </Button>
  );
}

/** A time of the group of each line. */
const timeOf =
  (times: readonly LatencyLine[] | undefined, by: UsageBy) =>
  (head: string, read: (line: LatencyLine) => number | undefined): Column<UsageLine> => ({
    head,
    kind: 'figure',
    cell: ({ other, group }) => {
      const line = other ? undefined : times?.find((one) => one.group[by] === group[by]);
      return formatTime(line && read(line));
    },
  });

/** Their groups are ids of records. */
const NAMED: readonly UsageBy[] = ['organization', 'project', 'key', 'member'];

/** The filters of the list of requests. */
const FILTERS: Readonly<Record<UsageBy, FilterName>> = {
  model: 'model',
  provider: 'provider_id',
  key: 'key_id',
  client: 'client_name',
  member: 'member_id',
  project: 'project_id',
  organization: 'organization_id',
  finish: 'finish_reason',
  user: 'end_user_id',
};

interface GroupProps extends Pick<GroupTableProps, 'by' | 'shown'> {
  id: string;
  names: ReadonlyMap<string, string>;
}

/** The name of a group, which leads to its requests, and its id below. */
function Group({ by, id, names, shown }: GroupProps) {
  if (id === '') return `no ${nameGroup(by)}`;
  const name = by === 'finish' ? describeFinish(id) : names.get(id);
  return (
    <>
      <Link to="/requests" search={{ ...shown, [FILTERS[by]]: id }}>
        {name ?? id}
      </Link>
      {name !== undefined && NAMED.includes(by) && <Note>{id}</Note>}
    </>
  );
}
