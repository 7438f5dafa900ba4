import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { formatCount } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { Usd } from '../parts/values.tsx';
import { ProjectLink } from './project-link.tsx';
import { RequestLinks } from './request-links.tsx';

type Report = AnswerOf<'/admin/v1/cache_misses', 'get'>;
type Query = Readonly<Record<string, string | undefined>>;

const HEAD = ['Reason', 'Project', 'Requests', 'Count', 'Tokens', 'Cost more'];

/** What missed prompt caches cost, by reason and project, and what marks saved. */
export function CacheMisses({ query }: { query: Query }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['cache-misses', query],
    queryFn: () => call('get', '/admin/v1/cache_misses', { query }),
  });
  if (isPending) return <Loading what="cache misses" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const { data: sums, total, marks, saved } = data;
  return (
    <Stack>
      {sums.length === 0 ? (
        <Empty title="No prompt cache was missed">Prompts of sessions are looked at, turn by turn.</Empty>
      ) : (
        <Section title="By reason">
          <Text size="sm" mb="sm">
            {formatCount(total.requests)} {total.requests === 1 ? 'request' : 'requests'} read{' '}
            {formatCount(total.tokens)} tokens anew that could have been read from the cache:{' '}
            <Usd exact={total.cost} /> more.
          </Text>
          <WideTable label="Cache misses by reason" head={HEAD} figures={3} miw={760}>
            {sums.map((sum) => (
              <MissRow key={`${sum.project_id} ${sum.reason}`} sum={sum} />
            ))}
          </WideTable>
        </Section>
      )}
      {marks.length > 0 && <Marks marks={marks} saved={saved} />}
    </Stack>
  );
}

function MissRow({ sum }: { sum: Report['data'][number] }) {
  return (
    <Table.Tr>
      <Table.Td>{sum.reason.replaceAll('_', ' ')}</Table.Td>
      <Table.Td className="name">
        <ProjectLink organization={sum.organization_id} id={sum.project_id} />
      </Table.Td>
      <Table.Td>
        <RequestLinks ids={sum.request_ids} />
      </Table.Td>
      <Table.Td ta="end">{formatCount(sum.requests)}</Table.Td>
      <Table.Td ta="end">{formatCount(sum.tokens)}</Table.Td>
      <Table.Td ta="end">
        <Usd exact={sum.cost} />
      </Table.Td>
    </Table.Tr>
  );
}

function Marks({ marks, saved }: Pick<Report, 'marks' | 'saved'>) {
  return (
    <Section title="Marks that the gateway set">
      <Text size="sm" mb="sm">
        They saved <Usd exact={saved} />; a negative amount is a loss.
      </Text>
      <WideTable label="Cache marks" head={['Project', 'Requests', 'Saved']} figures={2} miw={320}>
        {marks.map((mark) => (
          <Table.Tr key={mark.project_id}>
            <Table.Td className="name">
              <ProjectLink organization={mark.organization_id} id={mark.project_id} />
            </Table.Td>
            <Table.Td ta="end">{formatCount(mark.requests)}</Table.Td>
            <Table.Td ta="end">
              <Usd exact={mark.saved} />
            </Table.Td>
          </Table.Tr>
        ))}
      </WideTable>
    </Section>
  );
}
