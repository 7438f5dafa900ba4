import type { ReactNode } from 'react';
import { Table } from '@mantine/core';
import { formatCount, formatMs } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Empty } from '../parts/state.tsx';
import { type NamedPath, useNames } from '../parts/use-names.ts';
import { Usd } from '../parts/values.tsx';
import type { UsageBy } from './now-search.ts';
import {
  type LatencyLine,
  type UsageLine,
  answeredOf,
  cachedOf,
  freshOf,
  reasoningOf,
  writtenOf,
} from './sums.ts';

const HEAD = ['Spend', 'Requests', 'Input', 'Cached', 'Output'];
const TIMES = ['First token, p50', 'First token, p95', 'Answer, p50', 'Answer, p95'];
/** Of these there are times. */
export const TIMED: readonly UsageBy[] = ['model', 'provider', 'member', 'project', 'organization'];

interface GroupTableProps {
  lines: readonly UsageLine[];
  times: readonly LatencyLine[] | undefined;
  by: UsageBy;
}

/** The sums of each group, the most expensive first. */
export function GroupTable({ lines, times, by }: GroupTableProps) {
  const names = useNamesBy(by);
  const timed = TIMED.includes(by);
  const sorted = [...lines].sort((a, b) => Number(b.cost) - Number(a.cost) || b.requests - a.requests);
  if (sorted.length === 0) return <Empty title="No request in this period" />;
  const head = [...HEAD, ...(timed ? TIMES : [])];
  return (
    <Section title={`By ${by}`}>
      <WideTable label={`Usage by ${by}`} head={[by, ...head]} figures={head.length} miw={timed ? 960 : 640}>
        {sorted.map((line) => (
          <GroupRow
            key={line.other ? 'other' : `of ${line.group[by] ?? ''}`}
            line={line}
            name={line.other ? 'all others' : nameOf(line.group[by] ?? '', names)}
          >
            {timed && <TimeCells of={line.other ? undefined : times?.find(isOf(by, line))} />}
          </GroupRow>
        ))}
      </WideTable>
    </Section>
  );
}

const isOf =
  (by: UsageBy, line: UsageLine) =>
  ({ group }: LatencyLine): boolean =>
    group[by] === line.group[by];

function TimeCells({ of }: { of: LatencyLine | undefined }) {
  const cells = [of?.time_to_first_token, of?.duration].flatMap((times) =>
    times ? [times.p50, times.p95] : [undefined, undefined],
  );
  return cells.map((ms, index) => (
    <Table.Td key={TIMES[index]} ta="end">
      {ms === undefined ? '–' : formatMs(ms)}
    </Table.Td>
  ));
}

interface GroupRowProps {
  line: UsageLine;
  name: string;
  children: ReactNode;
}

function GroupRow({ line: { cost, requests, tokens }, name, children }: GroupRowProps) {
  const cached = cachedOf(tokens);
  return (
    <Table.Tr>
      <Table.Td>{name}</Table.Td>
      <Table.Td ta="end">
        <Usd exact={cost} />
      </Table.Td>
      <Table.Td ta="end">{formatCount(requests)}</Table.Td>
      <Table.Td ta="end">{formatCount(freshOf(tokens) + cached + writtenOf(tokens))}</Table.Td>
      <Table.Td ta="end">{formatCount(cached)}</Table.Td>
      <Table.Td ta="end">{formatCount(answeredOf(tokens) + reasoningOf(tokens))}</Table.Td>
      {children}
    </Table.Tr>
  );
}

const LISTS: { readonly [By in UsageBy]?: NamedPath } = {
  organization: '/admin/v1/organizations',
  key: '/admin/v1/keys',
  member: '/admin/v1/members',
};

function nameOf(id: string, names: ReadonlyMap<string, string>): string {
  if (id === '') return '(none)';
  const name = names.get(id);
  return name === undefined ? id : `${name} (${id})`;
}

/** Names by id, where the groups are ids. A session that may not list them sees the ids. */
function useNamesBy(by: UsageBy): ReadonlyMap<string, string> {
  const listed = LISTS[by];
  const { names } = useNames(listed ?? '/admin/v1/keys', { enabled: listed !== undefined });
  return new Map(listed === undefined ? [] : names.map(({ id, name }) => [id, name]));
}
