import { Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../api/client.ts';
import { organizationsQuery, usageQuery } from '../api/queries.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { Usd } from '../parts/values.tsx';
import { Customer } from './customer.tsx';

type Organization = AnswerOf<'/admin/v1/organizations', 'get'>['data'][number];

const MONTH_MS = 30 * 86_400_000;
const HOUR_MS = 3_600_000;
const REFRESH_MS = 30_000;
const route = getRouteApi('/customers');

/** Organizations with what they may spend and have spent; one of them with its end users and tokens. */
export function CustomersScreen() {
  const { organization } = route.useSearch();
  const [since] = useState(() =>
    new Date(Math.floor((Date.now() - MONTH_MS) / HOUR_MS) * HOUR_MS).toISOString(),
  );
  const { data, error, isPending, refetch } = useQuery(organizationsQuery);
  const usage = useQuery(usageQuery({ by: 'organization', since, refetchMs: REFRESH_MS }));
  const costOf = (id: string): string =>
    usage.data?.data.find(({ group }) => group['organization'] === id)?.cost ?? '0';
  const chosen = data?.data.find(({ id }) => id === organization);
  return (
    <Stack gap="xl">
      <Title order={1} size="h2">
        Customers
      </Title>
      {isPending && <Loading what="organizations" />}
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data?.data.length === 0 && <Empty title="No organization yet">Add one on the page Access.</Empty>}
      {data && data.data.length > 0 && (
        <Section title="Organizations">
          <WideTable
            label="Organizations"
            head={['Organization', 'Plan', 'Credits', 'Last 30 days', 'In all']}
            figures={3}
          >
            {data.data.map((one) => (
              <CustomerRow
                key={one.id}
                organization={one}
                month={costOf(one.id)}
                isChosen={one.id === organization}
              />
            ))}
          </WideTable>
        </Section>
      )}
      {chosen && <Customer organization={chosen} since={since} />}
      {data?.has_more === true && <Text size="sm">The first 100 organizations are shown.</Text>}
    </Stack>
  );
}

interface CustomerRowProps {
  organization: Organization;
  month: string;
  isChosen: boolean;
}

function CustomerRow({ organization, month, isChosen }: CustomerRowProps) {
  const { id, name, plan, balance, usage } = organization;
  return (
    <Table.Tr className={isChosen ? 'chosen' : ''}>
      <Table.Td className="name">
        <Link to="/customers" search={{ organization: id }}>
          {name}
        </Link>
        <Text size="xs" className="quiet">
          {id}
        </Text>
      </Table.Td>
      <Table.Td>{plan}</Table.Td>
      <Table.Td ta="end">{balance === null ? 'not metered' : <Usd exact={balance} />}</Table.Td>
      <Table.Td ta="end">
        <Usd exact={month} />
      </Table.Td>
      <Table.Td ta="end">
        <Usd exact={usage} />
      </Table.Td>
    </Table.Tr>
  );
}
