import { Alert, Box, Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { onSubmit } from '../parts/on-submit.ts';

/** A button that becomes a form for the name of what it adds. */
export function AddNamed({ what, add }: { what: string; add(name: string): Promise<void> }) {
  const [name, setName] = useState<string>();
  const { mutate, error, isPending } = useMutation({ mutationFn: add, onSuccess: () => setName(undefined) });
  if (name === undefined) {
    return (
      <Box>
        <Button variant="default" onClick={() => setName('')}>
          Add {what === 'organization' ? 'an' : 'a'} {what}
        </Button>
      </Box>
    );
  }
  const submit = onSubmit(() => mutate(name.trim()));
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="end">
        <TextInput
          label={`Name of the ${what}`}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          required
        />
        <Button type="submit" loading={isPending}>
          Add
        </Button>
        <Button variant="default" onClick={() => setName(undefined)}>
          Cancel
        </Button>
      </Group>
      {error && (
        <Alert role="alert" color="red" variant="outline" title={`The ${what} was not added`} mt="sm">
          {error.message}
        </Alert>
      )}
    </form>
  );
}
