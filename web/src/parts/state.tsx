import type { ReactNode } from 'react';
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { ApiError } from '../api/client.ts';

export function Loading({ what }: { what: string }) {
  return (
    <Group role="status" gap="sm" py="xl" justify="center">
      <Loader size="sm" />
      <Text>Loading {what}…</Text>
    </Group>
  );
}

/** What went wrong, in the gateway's own words, and a way on. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert role="alert" color="red" variant="outline" title="This could not be loaded" my="md">
      <Text>{error.message}</Text>
      {requestId !== undefined && <Text size="sm">Request {requestId}</Text>}
      {retry && (
        <Button variant="default" size="xs" mt="sm" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Alert color="gray" variant="outline" title={title} my="md">
      {children}
    </Alert>
  );
}
