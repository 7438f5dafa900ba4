import { Stack, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type Organization, recordQuery, useSearchedRecords } from '../access/access-queries.ts';
import { usageQuery } from '../api/queries.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { Section } from '../parts/section.tsx';
import { Paged } from '../parts/lists/paged.tsx';
import { Empty } from '../parts/state.tsx';
import { Usd } from '../parts/values.tsx';
import { Customer } from './customer.tsx';

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
  const { records } = list;
  const listed = records?.find(({ id }) => id === organization);
  const other = useQuery({
    ...recordQuery('/admin/v1/organizations/{id}', organization ?? ''),
    enabled: records !== undefined && organization !== undefined && !listed,
  });
  const chosen = listed ?? other.data;
  return (
    <Stack gap="xl">
      <Title>Customers</Title>
      <Organizations list={list} search={search} since={since} chosen={chosen?.id} />
      {chosen && <Customer organization={chosen} since={since} />}
    </Stack>
  );
}

const COLUMNS: readonly Column<Organization>[] = [
  {
    head: 'Organization',
    kind: 'name',
    cell: ({ id, name }) => (
      <Link to="/customers" search={{ organization: id }}>
        {name}
      </Link>
    ),
    note: ({ id }) => id,
  },
  { head: 'Plan', cell: ({ plan }) => plan },
  {
    head: 'Credits',
    kind: 'figure',
    cell: ({ balance }) => (balance === null ? 'not metered' : <Usd exact={balance} />),
  },
];

const inAll: Column<Organization> = {
  head: 'Total',
  kind: 'figure',
  cell: ({ usage }) => <Usd exact={usage} />,
};

interface OrganizationsProps extends ReturnType<typeof useSearchedRecords<'/admin/v1/organizations'>> {
  since: string;
  /** The id of the one that is open. */
  chosen: string | undefined;
}

function Organizations({ list, search, since, chosen }: OrganizationsProps) {
  const usage = useQuery(usageQuery({ by: 'organization', since, refetchMs: REFRESH_MS }));
  const costs = new Map(usage.data?.data.map(({ group, cost }) => [group['organization'], cost]));
  const month: Column<Organization> = {
    head: 'Last 30 days',
    kind: 'figure',
    cell: ({ id }) => <Usd exact={costs.get(id) ?? '0'} />,
  };
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
      <Paged
        list={list}
        what="organizations"
        empty={
          search.text === '' ? (
            <Empty title="No organizations yet">Add one on the page Access.</Empty>
          ) : (
            <Empty title="No organizations with this name" />
          )
        }
      >
        {(records) => (
          <DataTable
            label="Organizations"
            columns={[...COLUMNS, month, inAll]}
            rows={records}
            keyOf={({ id }) => id}
            isChosen={({ id }) => id === chosen}
          />
        )}
      </Paged>
    </Section>
  );
}
