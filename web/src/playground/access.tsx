import {
  Alert,
  Button,
  Group,
  NativeSelect,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { keysQuery } from '../api/queries.ts';
import { writeUsd } from '../parts/format.ts';
import { onSubmit } from '../parts/on-submit.ts';
import { useCan } from '../parts/use-can.ts';

/** What the calls are charged to. It is only in the memory of this page. */
export interface Access {
  token: string;
  /** Whose it is, for the viewer. */
  label: string;
}

const ACCESS_KEY = ['playground-access'] as const;
const TTL_SECONDS = 3_600;
const AMOUNT = /^\d{1,6}(\.\d{1,12})?$/;

/** The access of this page until it is reloaded or signed out. */
export function useAccess() {
  const client = useQueryClient();
  const { data } = useQuery<Access | null>({
    queryKey: ACCESS_KEY,
    queryFn: () => null,
    initialData: null,
    enabled: false,
    gcTime: Infinity,
  });
  return { access: data, setAccess: (access: Access | null) => client.setQueryData(ACCESS_KEY, access) };
}

/** Asks which key pays, and how much at most. */
export function GiveAccess({ onAccess }: { onAccess(access: Access): void }) {
  const canMint = useCan()('accounts', 'write');
  return (
    <Paper withBorder p="md" component="section" aria-label="Who pays" className="form">
      <Stack>
        <Text fw={600}>Which key is charged?</Text>
        {canMint && <MintToken onAccess={onAccess} />}
        <PasteKey onAccess={onAccess} isAlternative={canMint} />
      </Stack>
    </Paper>
  );
}

function MintToken({ onAccess }: { onAccess(access: Access): void }) {
  const keys = useQuery(keysQuery).data?.data.filter(({ disabled }) => !disabled) ?? [];
  const [chosen, choose] = useState('');
  const [budget, setBudget] = useState('1');
  const key = keys.find(({ id }) => id === chosen) ?? keys[0];
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call('post', '/admin/v1/session_tokens', {
        body: { key_id: key?.id ?? '', limit: budget, ttl_seconds: TTL_SECONDS, user: 'playground' },
      }),
    onSuccess: ({ secret }) =>
      onAccess({ token: secret, label: `${key?.label ?? ''}, at most ${writeUsd(budget)} within an hour` }),
  });
  const isAmount = AMOUNT.test(budget);
  if (keys.length === 0) return <Text size="sm">There is no key to charge yet.</Text>;
  return (
    <form onSubmit={onSubmit(() => isAmount && mutate())} aria-label="Charge a key">
      <Group align="end" gap="sm">
        <NativeSelect
          label="Key"
          maw="min(24rem, 100%)"
          value={key?.id ?? ''}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          data={keys.map(({ id, label }) => ({ value: id, label: `${label} (${id})` }))}
        />
        <TextInput
          label="At most, in USD"
          value={budget}
          onChange={({ currentTarget }) => setBudget(currentTarget.value.trim())}
          inputMode="decimal"
          error={!isAmount && 'An amount such as 0.50'}
        />
        <Button type="submit" loading={isPending}>
          Start
        </Button>
      </Group>
      <Text size="xs" className="quiet" mt="xs">
        A token of the key is made, which ends after an hour or at this amount. Only this page has it.
      </Text>
      {error && (
        <Alert role="alert" color="red" variant="outline" title="No session tokens" mt="sm">
          {error.message}
        </Alert>
      )}
    </form>
  );
}

interface PasteKeyProps {
  onAccess(access: Access): void;
  isAlternative: boolean;
}

function PasteKey({ onAccess, isAlternative }: PasteKeyProps) {
  const [key, setKey] = useState('');
  return (
    <form
      onSubmit={onSubmit(() => onAccess({ token: key.trim(), label: 'a key that was pasted' }))}
      aria-label="Paste a key"
    >
      <Group align="end" gap="sm">
        <PasswordInput
          label={isAlternative ? 'Or paste an API key' : 'Paste an API key'}
          miw={260}
          value={key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
          autoComplete="off"
          required
          withAsterisk={false}
        />
        <Button type="submit" variant="default">
          Use it
        </Button>
      </Group>
    </form>
  );
}
