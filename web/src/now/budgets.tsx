import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AccessSearch } from '../access/access-search.ts';
import type { AnswerOf } from '../api/client.ts';
import { type ReportScope, budgetsQuery } from '../api/queries.ts';
import { type Column, DataTable, Note } from '../parts/lists/data-table.tsx';
import { Section } from '../parts/section.tsx';
import { useIsMember } from '../parts/use-can.ts';
import { Moment, Usd, UsdOf } from '../parts/values.tsx';

type Budget = AnswerOf<'/admin/v1/budgets', 'get'>['data'][number];

const KINDS: Readonly<Record<Budget['kind'], { name: string; part: NonNullable<AccessSearch['part']> }>> = {
  key: { name: 'key', part: 'keys' },
  key_recurring: { name: 'key, per period', part: 'keys' },
  member: { name: 'member', part: 'members' },
  member_recurring: { name: 'member, per period', part: 'members' },
  project: { name: 'project', part: 'projects' },
  project_recurring: { name: 'project, per period', part: 'projects' },
  organization_recurring: { name: 'organization, per period', part: 'limits' },
  credits: { name: 'credits', part: 'money' },
  plan: { name: 'plan', part: 'money' },
  plan_premium: { name: 'premium models of the plan', part: 'money' },
};

const isSpent = ({ left }: Budget): boolean => Number(left) === 0;

const COLUMNS: readonly Column<Budget>[] = [
  {
    head: 'Budget',
    kind: 'name',
    cell: (budget) => <Name of={budget} />,
    note: ({ kind }) => KINDS[kind].name,
  },
  {
    head: 'Left',
    kind: 'figure',
    isFailed: isSpent,
    cell: (budget) =>
      isSpent(budget) ? (
        <>
          nothing of <Usd exact={budget.limit} />
        </>
      ) : (
        <UsdOf part={budget.left} whole={budget.limit} />
      ),
  },
  { head: 'Runs out at this pace', cell: (budget) => <End of={budget} /> },
  {
    head: 'Renews',
    cell: ({ period_end: renews }) => (renews === null ? '–' : <Moment iso={renews} />),
  },
  { head: 'Per day', kind: 'figure', cell: ({ pace }) => <Usd exact={pace} /> },
  { head: 'Reserved', kind: 'figure', cell: ({ held }) => <Usd exact={held} /> },
];

/** What is left of each budget, and when it runs out at its present pace; those that run out first come first. */
export function Budgets({ scope }: { scope: ReportScope }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(budgetsQuery(scope));
  const budgets = listOnce(data?.pages.flatMap((page) => page.data) ?? []);
  if (budgets.length === 0) return null;
  return (
    <Section title="Budgets">
      <DataTable label="Budgets" columns={COLUMNS} rows={budgets} keyOf={({ id }) => id} miw={720} />
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

function Name({ of: { organization_id: organization, kind, name, subject_id: subject } }: { of: Budget }) {
  const { part } = KINDS[kind];
  const hasOwnPage = part === 'keys' || part === 'members' || part === 'projects';
  const hasPage = !useIsMember() || part === 'keys';
  if (!hasPage) return name;
  return (
    <Link to="/access" search={{ organization, part, ...(hasOwnPage && { open: subject }) }}>
      {name}
    </Link>
  );
}

function End({ of }: { of: Budget }) {
  const { left, runs_out_at: end, period_end: renews, plan_renews_at: plan, refused_at: refused } = of;
  if (Number(left) === 0) return <span className="failed">has run out</span>;
  if (refused !== null)
    return (
      <>
        <span className="failed">refused a request that needed more</span>
        <Note>
          <Moment iso={refused} />
        </Note>
      </>
    );
  if (end !== null) return <Moment iso={end} />;
  if (plan !== null)
    return (
      <>
        not before the plan renews
        <Note>
          <Moment iso={plan} />
        </Note>
      </>
    );
  return renews === null ? 'not within a year' : 'not before it renews';
}
