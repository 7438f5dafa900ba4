import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { keysQuery, membersQuery, organizationsQuery } from '../api/queries.ts';
import { formatCount } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Empty } from '../parts/state.tsx';
import { Usd } from '../parts/values.tsx';
import type { UsageBy } from './now-screen.tsx';
import { type UsageLine, answeredOf, cachedOf, freshOf, reasoningOf, writtenOf } from './sums.ts';

const HEAD = ['Spend', 'Requests', 'Input', 'Cached', 'Output'];

/** The sums of each group, the most expensive first. */
export function GroupTable({ lines, by }: { lines: readonly UsageLine[]; by: UsageBy }) {
  const names = useNames(by);
  const sorted = [...lines].sort((a, b) => Number(b.cost) - Number(a.cost) || b.requests - a.requests);
  if (sorted.length === 0) return <Empty title="No request in this period" />;
  return (
    <Section title={`By ${by}`}>
      <WideTable label={`Usage by ${by}`} head={[by, ...HEAD]} figures={HEAD.length}>
        {sorted.map((line) => (
          <GroupRow key={line.group[by] ?? ''} line={line} name={nameOf(line.group[by] ?? '', names)} />
        ))}
      </WideTable>
    </Section>
  );
}

function GroupRow({ line: { cost, requests, tokens }, name }: { line: UsageLine; name: string }) {
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
    </Table.Tr>
  );
}

function nameOf(id: string, names: ReadonlyMap<string, string>): string {
  if (id === '') return '(none)';
  const name = names.get(id);
  return name === undefined ? id : `${name} (${id})`;
}

/** Names by id, where the groups are ids. A session that may not list them sees the ids. */
function useNames(by: UsageBy): ReadonlyMap<string, string> {
  const organizations = useQuery({ ...organizationsQuery, enabled: by === 'organization' });
  const keys = useQuery({ ...keysQuery, enabled: by === 'key' });
  const members = useQuery({ ...membersQuery, enabled: by === 'member' });
  return new Map([
    ...(by === 'organization' ? (organizations.data?.data ?? []) : []).map(
      ({ id, name }) => [id, name] as const,
    ),
    ...(by === 'member' ? (members.data?.data ?? []) : []).map(({ id, name }) => [id, name] as const),
    ...(by === 'key' ? (keys.data?.data ?? []) : []).map(({ id, label }) => [id, label] as const),
  ]);
}
