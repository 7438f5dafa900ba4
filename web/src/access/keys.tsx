import { Alert, Button, Group, Table } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, call } from '../api/client.ts';
import { keysQuery } from '../api/queries.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { Moment, Usd } from '../parts/values.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { CreateKey } from './create-key.tsx';
import { Secret } from './secret.tsx';

type Key = AnswerOf<'/admin/v1/keys', 'get'>['data'][number];

/** API keys: made with a limit, rotated, disabled. A secret is shown once. */
export function Keys({ canWrite }: { canWrite: boolean }) {
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useQuery(keysQuery);
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const refresh = (): void => void client.invalidateQueries({ queryKey: keysQuery.queryKey });
  const take = (made: { secret: string }): void => {
    setSecret(made.secret);
    setCreating(false);
    refresh();
  };
  const create = canWrite && <Button onClick={() => setCreating(true)}>Create a key</Button>;
  return (
    <Section title="API keys" action={create}>
      {secret !== undefined && <Secret secret={secret} onClose={() => setSecret(undefined)} />}
      {isCreating && <CreateKey onMade={take} onClose={() => setCreating(false)} />}
      {isPending && <Loading what="keys" />}
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data?.data.length === 0 && <Empty title="No key yet">Create one to send requests.</Empty>}
      {data && data.data.length > 0 && (
        <WideTable label="API keys" head={['Label', 'Key', 'Used', 'Limit', 'State', 'Created', 'Actions']}>
          {data.data.map((key) => (
            <KeyRow key={key.id} apiKey={key} canWrite={canWrite} onSecret={take} onChange={refresh} />
          ))}
        </WideTable>
      )}
      {data?.has_more === true && (
        <Alert mt="sm">The first 100 keys are shown; “npx sluice keys list” shows all.</Alert>
      )}
    </Section>
  );
}

interface KeyRowProps {
  apiKey: Key;
  canWrite: boolean;
  onSecret(made: { secret: string }): void;
  onChange(): void;
}

function KeyRow({ apiKey, canWrite, onSecret, onChange }: KeyRowProps) {
  const { id, label, masked, usage, limit, disabled, created_at: createdAt } = apiKey;
  const rotate = useMutation({
    mutationFn: () => call('post', '/admin/v1/keys/{id}/rotate', { id, body: {} }),
    onSuccess: onSecret,
  });
  const change = useMutation({
    mutationFn: () => call('post', '/admin/v1/keys/{id}', { id, body: { disabled: !disabled } }),
    onSuccess: onChange,
  });
  const failed = rotate.error ?? change.error;
  return (
    <Table.Tr>
      <Table.Td>
        {label}
        {failed && <Failure error={failed} />}
      </Table.Td>
      <Table.Td>{masked}</Table.Td>
      <Table.Td>
        <Usd exact={usage} />
      </Table.Td>
      <Table.Td>{limit === null ? 'none' : <Usd exact={limit} />}</Table.Td>
      <Table.Td>{disabled ? 'disabled' : 'enabled'}</Table.Td>
      <Table.Td>
        <Moment iso={createdAt} />
      </Table.Td>
      <Table.Td>
        {canWrite && (
          <Group gap="xs" wrap="nowrap">
            <ConfirmButton
              name="Rotate"
              about={label}
              explains="It gets a new secret, shown once. The old one is accepted for 24 hours."
              isBusy={rotate.isPending}
              onConfirm={rotate.mutate}
            />
            <ConfirmButton
              name={disabled ? 'Enable' : 'Disable'}
              about={label}
              explains={disabled ? 'It is accepted again at once.' : 'Its requests are refused at once.'}
              isBusy={change.isPending}
              onConfirm={change.mutate}
            />
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
