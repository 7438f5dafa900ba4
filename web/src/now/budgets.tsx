import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  keysQuery,
  memberQuery,
  membersQuery,
  organizationsQuery,
  sessionQuery,
  usageQuery,
} from '../api/queries.ts';
import { subtractUsd } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Moment, Usd } from '../parts/values.tsx';
import type { UsageLine } from './sums.ts';

const DAY_MS = 86_400_000;
const REFRESH_MS = 30_000;
/** Ends that are further away say nothing. */
const MOST_DAYS = 366;

interface Budget {
  id: string;
  name: string;
  left: string;
  /** Of the last 24 hours. */
  spent: string;
}

/** What is left of each budget, and when it ends at the pace of the last 24 hours; the first to end first. */
export function Budgets({ since }: { since: string }) {
  const budgets = useBudgets(since).sort((a, b) => daysLeft(a) - daysLeft(b));
  if (budgets.length === 0) return null;
  return (
    <Section title="Budgets">
      <WideTable label="Budgets" head={['Of', 'Ends at this pace', 'Last 24 hours', 'Left']} figures={2}>
        {budgets.map((budget) => (
          <Table.Tr key={budget.id}>
            <Table.Td className="name">{budget.name}</Table.Td>
            <Table.Td>
              <End days={daysLeft(budget)} />
            </Table.Td>
            <Table.Td ta="end">
              <Usd exact={budget.spent} />
            </Table.Td>
            <Table.Td ta="end" className={Number(budget.left) <= 0 ? 'failed' : ''}>
              {Number(budget.left) <= 0 ? 'nothing' : <Usd exact={budget.left} />}
            </Table.Td>
          </Table.Tr>
        ))}
      </WideTable>
    </Section>
  );
}

function End({ days }: { days: number }) {
  if (days <= 0) return <span className="failed">has ended</span>;
  if (days > MOST_DAYS) return 'not within a year';
  return <Moment iso={new Date(Date.now() + days * DAY_MS).toISOString()} />;
}

function daysLeft({ left, spent }: Budget): number {
  if (Number(left) <= 0) return 0;
  return Number(spent) === 0 ? Infinity : Number(left) / Number(spent);
}

/** Limits of keys and members in all, and credits of organizations. A session that may not list them sees none. */
function useBudgets(since: string): Budget[] {
  const keys = useQuery(keysQuery).data?.data ?? [];
  const session = useQuery(sessionQuery).data;
  const isAll = session?.member_id === null;
  const self = useQuery(memberQuery(session?.member_id)).data;
  const members = useQuery({ ...membersQuery, enabled: isAll }).data?.data ?? (self ? [self] : []);
  const organizations = useQuery({ ...organizationsQuery, enabled: isAll }).data?.data ?? [];
  const options = { since, refetchMs: REFRESH_MS };
  const byKey = useQuery(usageQuery({ ...options, by: 'key' })).data?.data ?? [];
  const byMember = useQuery(usageQuery({ ...options, by: 'member' })).data?.data ?? [];
  const byOrganization = useQuery(usageQuery({ ...options, by: 'organization' })).data?.data ?? [];
  const limited = (
    kind: 'key' | 'member',
    { id, limit, usage }: { id: string; limit: string | null; usage: string },
    name: string,
  ): Budget[] =>
    limit === null
      ? []
      : [
          {
            ...{ id, name: `${kind} ${name}`, left: subtractUsd(limit, usage) },
            spent: spentBy(kind === 'key' ? byKey : byMember, kind, id),
          },
        ];
  return [
    ...keys.flatMap((key) => (key.disabled ? [] : limited('key', key, key.label))),
    ...members.flatMap((member) => limited('member', member, member.name)),
    ...organizations.flatMap(({ id, name, balance }) =>
      balance === null
        ? []
        : [
            {
              id,
              name: `credits of ${name}`,
              left: balance,
              spent: spentBy(byOrganization, 'organization', id),
            },
          ],
    ),
  ];
}

const spentBy = (lines: readonly UsageLine[], kind: string, id: string): string =>
  lines.find(({ group }) => group[kind] === id)?.cost ?? '0';
