import { Alert, Button, Group, NativeSelect, Paper, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { projectsQuery } from '../api/queries.ts';
import { onSubmit } from '../parts/on-submit.ts';
import { Failure, Loading } from '../parts/state.tsx';
import { OrganizationSelect, useOrganization } from './organizations.tsx';

const AMOUNT = /^\d{1,15}(\.\d{1,12})?$/;

interface CreateKeyProps {
  onMade(made: { secret: string }): void;
  onClose(): void;
}

export function CreateKey({ onMade, onClose }: CreateKeyProps) {
  const { projectId, failed, isPending, fields } = useProject();
  const [label, setLabel] = useState('');
  const [limit, setLimit] = useState('');
  const isAmount = limit === '' || AMOUNT.test(limit);
  const {
    mutate,
    error,
    isPending: isCreating,
  } = useMutation({
    mutationFn: () =>
      call('post', '/admin/v1/keys', {
        body: { project_id: projectId, label: label.trim(), ...(limit !== '' && { limit }) },
      }),
    onSuccess: onMade,
  });
  if (failed) return <Failure error={failed} />;
  if (isPending) return <Loading what="organizations" />;
  return (
    <Paper withBorder p="md" mb="md">
      <form onSubmit={onSubmit(() => isAmount && mutate())} aria-label="Create a key">
        <Stack gap="sm">
          <TextInput
            label="Label"
            description="What it is for"
            value={label}
            onChange={({ currentTarget }) => setLabel(currentTarget.value)}
            required
          />
          {fields}
          <TextInput
            label="Limit in USD"
            description="The most it may spend in all; empty for none"
            value={limit}
            onChange={({ currentTarget }) => setLimit(currentTarget.value.trim())}
            inputMode="decimal"
            error={!isAmount && 'An amount such as 12.50'}
          />
          {error && <Refusal error={error} />}
          <Buttons isBusy={isCreating} onClose={onClose} />
        </Stack>
      </form>
    </Paper>
  );
}

/** The project of the new key; the first of the organization by default. */
function useProject() {
  const organizations = useOrganization();
  const projects = useQuery(projectsQuery(organizations.organizationId));
  const [chosen, choose] = useState<string>();
  const listed = projects.data?.data ?? [];
  const projectId = listed.find(({ id }) => id === chosen)?.id ?? listed[0]?.id ?? '';
  const fields = (
    <>
      <OrganizationSelect {...organizations} />
      <NativeSelect
        label="Project"
        value={projectId}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={listed.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
      />
    </>
  );
  return {
    projectId,
    failed: organizations.error ?? projects.error,
    isPending: organizations.isPending,
    fields,
  };
}

function Refusal({ error }: { error: Error }) {
  return (
    <Alert role="alert" color="red" variant="outline" title="The key was not created">
      {error.message}
    </Alert>
  );
}

function Buttons({ isBusy, onClose }: { isBusy: boolean; onClose: () => void }) {
  return (
    <Group gap="sm">
      <Button type="submit" loading={isBusy}>
        Create
      </Button>
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
    </Group>
  );
}
