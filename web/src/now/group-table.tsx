import { ScrollArea, Table, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { keysQuery, membersQuery, organizationsQuery } from '../api/queries.ts';
import { formatCount } from '../parts/format.ts';
import { Empty } from '../parts/state.tsx';
import { Usd } from '../parts/values.tsx';
import type { UsageBy } from './now-screen.tsx';
import { type UsageLine, answeredOf, cachedOf, freshOf, reasoningOf, writtenOf } from './sums.ts';

/** The sums of each group, the most expensive first. */
export function GroupTable({ lines, by }: { lines: readonly UsageLine[]; by: UsageBy }) {
  const names = useNames(by);
  const sorted = [...lines].sort((a, b) => Number(b.cost) - Number(a.cost) || b.requests - a.requests);
  if (sorted.length === 0) return <Empty title="No request in this period" />;
  return (
    <section aria-label={`Usage by ${by}`}>
      <Title order={2} size="h4" mb="xs">
        By {by}
      </Title>
      <ScrollArea type="auto" viewportProps={{ tabIndex: 0, 'aria-label': `Usage by ${by}`, role: 'group' }}>
        <Table striped miw={640} className="figures">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{by}</Table.Th>
              {['Spend', 'Requests', 'Input', 'Cached', 'Output'].map((name) => (
                <Table.Th key={name} ta="end">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.map((line) => (
              <GroupRow key={line.group[by] ?? ''} line={line} name={nameOf(line.group[by] ?? '', names)} />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
    </section>
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
