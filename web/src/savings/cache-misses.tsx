import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { countOf, formatCount } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Empty, Read } from '../parts/state.tsx';
import { Usd } from '../parts/values.tsx';
import { ProjectLink } from '../parts/names/project-link.tsx';
import { RequestLinks } from './request-links.tsx';

type Report = AnswerOf<'/admin/v1/cache_misses', 'get'>;
type Query = Readonly<Record<string, string | undefined>>;

const MISSES: readonly Column<Report['data'][number]>[] = [
  { head: 'Reason', cell: ({ reason }) => reason.replaceAll('_', ' ') },
  {
    head: 'Project',
    kind: 'name',
    cell: ({ organization_id: organization, project_id: id }) => (
      <ProjectLink organization={organization} id={id} />
    ),
  },
  { head: 'Examples', cell: ({ request_ids: ids }) => <RequestLinks ids={ids} /> },
  { head: 'Requests', kind: 'figure', cell: ({ requests }) => formatCount(requests) },
  { head: 'Tokens', kind: 'figure', cell: ({ tokens }) => formatCount(tokens) },
  { head: 'Extra cost', kind: 'figure', cell: ({ cost }) => <Usd exact={cost} /> },
];

const MARKS: readonly Column<Report['marks'][number]>[] = [
  {
    head: 'Project',
    kind: 'name',
    cell: ({ organization_id: organization, project_id: id }) => (
      <ProjectLink organization={organization} id={id} />
    ),
  },
  { head: 'Requests', kind: 'figure', cell: ({ requests }) => formatCount(requests) },
  { head: 'Savings', kind: 'figure', cell: ({ saved }) => <Usd exact={saved} /> },
];

/** What missed prompt caches cost, by reason and project, and what marks saved. */
export function CacheMisses({ query }: { query: Query }) {
  const misses = useQuery({
    queryKey: ['cache-misses', query],
    queryFn: () => call('get', '/admin/v1/cache_misses', { query }),
  });
  return (
    <Read query={misses} what="cache misses">
      {(report) => <Misses report={report} />}
    </Read>
  );
}

function Misses({ report: { data: sums, total, marks, saved } }: { report: Report }) {
  return (
    <Stack>
      {sums.length === 0 ? (
        <Empty title="No cache misses">Prompts of sessions are looked at, turn by turn.</Empty>
      ) : (
        <Section title="By reason">
          <Text size="sm" mb="sm">
            {countOf(total.requests, 'request')} read {countOf(total.tokens, 'token')} anew that could have
            been read from the cache: <Usd exact={total.cost} /> more.
          </Text>
          <DataTable
            label="Cache misses by reason"
            columns={MISSES}
            rows={sums}
            keyOf={(sum) => `${sum.project_id} ${sum.reason}`}
          />
        </Section>
      )}
      {marks.length > 0 && <Marks marks={marks} saved={saved} />}
    </Stack>
  );
}

function Marks({ marks, saved }: Pick<Report, 'marks' | 'saved'>) {
  return (
    <Section title="Cache marks set by the gateway">
      <Text size="sm" mb="sm">
        They saved <Usd exact={saved} />; a negative amount is a loss.
      </Text>
      <DataTable
        label="Cache marks"
        columns={MARKS}
        rows={marks}
        keyOf={({ project_id: id }) => id}
        miw={320}
      />
    </Section>
  );
}
