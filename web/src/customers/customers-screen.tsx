import { Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../api/client.ts';
import { recordQuery, useSearchedRecords } from '../access/access-queries.ts';
import { usageQuery } from '../api/queries.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { ShowMore } from '../parts/show-more.tsx';
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
  const { list, search } = useSearchedRecords('/admin/v1/organizations');
  const { records, error, retry } = list;
  const listed = records?.find(({ id }) => id === organization);
  const other = useQuery({
    ...recordQuery('/admin/v1/organizations/{id}', organization ?? ''),
    enabled: records !== undefined && organization !== undefined && !listed,
  });
  const chosen = listed ?? other.data;
  return (
    <Stack gap="xl">
      <Title order={1} size="h2">
        Customers
      </Title>
      {!records && !error && <Loading what="organizations" />}
      {error && <Failure error={error} retry={retry} />}
      {records?.length === 0 && search.text === '' && (
        <Empty title="No organization yet">Add one on the page Access.</Empty>
      )}
      {records && (records.length > 0 || search.text !== '') && (
        <Organizations {...{ list, search, since, chosen: chosen?.id }} />
      )}
      {chosen && <Customer organization={chosen} since={since} />}
    </Stack>
  );
}

interface OrganizationsProps extends ReturnType<typeof useSearchedRecords<'/admin/v1/organizations'>> {
  since: string;
  /** The id of the one that is open. */
  chosen: string | undefined;
}

function Organizations({ list: { records = [], more }, search, since, chosen }: OrganizationsProps) {
  const usage = useQuery(usageQuery({ by: 'organization', since, refetchMs: REFRESH_MS }));
  const costs = new Map(usage.data?.data.map(({ group, cost }) => [group['organization'], cost]));
  return (
    <Section title="Organizations">
      <TextInput
        type="search"
        label="Find organizations by name"
        mb="sm"
        maw={360}
        value={search.text}
        onChange={({ currentTarget }) => search.set(currentTarget.value)}
      />
      <WideTable
        label="Organizations"
        head={['Organization', 'Plan', 'Credits', 'Last 30 days', 'In all']}
        figures={3}
      >
        {records.map((one) => (
          <CustomerRow
            key={one.id}
            organization={one}
            month={costs.get(one.id) ?? '0'}
            isChosen={one.id === chosen}
          />
        ))}
      </WideTable>
      {more && <ShowMore {...more}>Show more organizations</ShowMore>}
    </Section>
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
