import { Button, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AccessSearch } from '../access/access-search.ts';
import type { AnswerOf } from '../api/client.ts';
import { type ReportScope, budgetsQuery } from '../api/queries.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { useIsMember } from '../parts/use-can.ts';
import { Moment, Usd } from '../parts/values.tsx';

type Budget = AnswerOf<'/admin/v1/budgets', 'get'>['data'][number];

const KINDS: Readonly<Record<Budget['kind'], { name: string; part: NonNullable<AccessSearch['part']> }>> = {
  key: { name: 'key', part: 'keys' },
  key_recurring: { name: 'key, per period', part: 'keys' },
  member: { name: 'member', part: 'members' },
  member_recurring: { name: 'member, per period', part: 'members' },
  credits: { name: 'credits', part: 'money' },
  plan: { name: 'plan', part: 'money' },
  plan_premium: { name: 'premium models of the plan', part: 'money' },
};
const HEAD = ['Of', 'Runs out at this pace', 'Renews', 'Per day', 'Held', 'Limit', 'Left'];

/** What is left of each budget, and when it runs out at its present pace; those that run out first come first. */
export function Budgets({ scope }: { scope: ReportScope }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(budgetsQuery(scope));
  const budgets = listOnce(data?.pages.flatMap((page) => page.data) ?? []);
  if (budgets.length === 0) return null;
  return (
    <Section title="Budgets">
      <WideTable label="Budgets" head={HEAD} figures={4} miw={860}>
        {budgets.map((budget) => (
          <BudgetRow key={budget.id} budget={budget} />
        ))}
      </WideTable>
      {hasNextPage && (
        <Button variant="default" mt="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more budgets
        </Button>
      )}
    </Section>
  );
}

/** A budget whose end moves between the reading of two pages may be in both. */
function listOnce(budgets: readonly Budget[]): Budget[] {
  return [...new Map(budgets.map((budget) => [budget.id, budget])).values()];
}

function BudgetRow({ budget }: { budget: Budget }) {
  const { kind, name, left, limit, pace, held, period_end: renews } = budget;
  const { name: what, part } = KINDS[kind];
  const isOfKey = part === 'keys' || part === 'members';
  const isSpent = Number(left) === 0;
  const hasPage = !useIsMember() || part === 'keys';
  return (
    <Table.Tr>
      <Table.Td className="name">
        {hasPage ? (
          <Link
            to="/access"
            search={{
              organization: budget.organization_id,
              part,
              ...(isOfKey && { open: budget.subject_id }),
            }}
          >
            {name}
          </Link>
        ) : (
          name
        )}
        <Text size="xs" className="quiet">
          {what}
        </Text>
      </Table.Td>
      <Table.Td>
        <End of={budget} />
      </Table.Td>
      <Table.Td>{renews === null ? '–' : <Moment iso={renews} />}</Table.Td>
      <Table.Td ta="end">
        <Usd exact={pace} />
      </Table.Td>
      <Table.Td ta="end">
        <Usd exact={held} />
      </Table.Td>
      <Table.Td ta="end">
        <Usd exact={limit} />
      </Table.Td>
      <Table.Td ta="end" className={isSpent ? 'failed' : ''}>
        {isSpent ? 'nothing' : <Usd exact={left} />}
      </Table.Td>
    </Table.Tr>
  );
}

function End({ of: { left, runs_out_at: end, period_end: renews } }: { of: Budget }) {
  if (Number(left) === 0) return <span className="failed">has run out</span>;
  if (end !== null) return <Moment iso={end} />;
  return renews === null ? 'not within a year' : 'not before it renews';
}
