import { NativeSelect, Stack, Table } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { organizationsQuery, projectsQuery } from '../api/queries.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { Moment } from '../parts/values.tsx';
import { AddNamed } from './add-named.tsx';

/** The organizations that the session sees, one of them chosen; the first by default. */
export function useOrganization() {
  const { data, error } = useQuery(organizationsQuery);
  const [chosen, choose] = useState<string>();
  const listed = data?.data ?? [];
  return { error, isPending: !data, organizationId: chosen ?? listed[0]?.id ?? '', listed, choose };
}

type Chosen = Pick<ReturnType<typeof useOrganization>, 'organizationId' | 'listed' | 'choose'>;

export function OrganizationSelect({ organizationId, listed, choose }: Chosen) {
  return (
    <NativeSelect
      label="Organization"
      value={organizationId}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={listed.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
    />
  );
}

/** Organizations with their projects. */
export function Organizations({ canWrite, canAdd }: { canWrite: boolean; canAdd: boolean }) {
  const client = useQueryClient();
  const organizations = useOrganization();
  const { organizationId, error } = organizations;
  const create = async (name: string): Promise<void> => {
    const { id } = await call('post', '/admin/v1/organizations', { body: { name } });
    await client.invalidateQueries({ queryKey: organizationsQuery.queryKey });
    organizations.choose(id);
  };
  if (error) return <Failure error={error} />;
  if (organizations.isPending) return <Loading what="organizations" />;
  return (
    <Section
      title="Organizations and projects"
      action={canWrite && canAdd && <AddNamed what="organization" add={create} />}
    >
      <Stack gap="sm">
        <OrganizationSelect {...organizations} />
        <Projects organizationId={organizationId} canWrite={canWrite} />
      </Stack>
    </Section>
  );
}

function Projects({ organizationId, canWrite }: { organizationId: string; canWrite: boolean }) {
  const client = useQueryClient();
  const query = projectsQuery(organizationId);
  const { data, error } = useQuery(query);
  const create = async (name: string): Promise<void> => {
    await call('post', '/admin/v1/projects', { body: { organization_id: organizationId, name } });
    await client.invalidateQueries({ queryKey: query.queryKey });
  };
  if (error) return <Failure error={error} />;
  if (!data) return <Loading what="projects" />;
  return (
    <>
      {data.data.length === 0 && <Empty title="No project yet">Keys belong to a project; add one.</Empty>}
      <WideTable label="Projects" head={['Project', 'Id', 'Created']}>
        {data.data.map(({ id, name, created_at: createdAt }) => (
          <Table.Tr key={id}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{id}</Table.Td>
            <Table.Td>
              <Moment iso={createdAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </WideTable>
      {canWrite && <AddNamed what="project" add={create} />}
    </>
  );
}
