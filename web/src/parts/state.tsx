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

/** What could not be loaded, in the gateway's own words, and a way on. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  if (error instanceof ApiError && error.status === 404)
    return (
      <Alert role="alert" color="red" variant="outline" title="Not found" my="md">
        {error.message}
      </Alert>
    );
  return (
    <Fault title="This could not be loaded" error={error}>
      {retry && (
        <Button variant="default" size="xs" mt="sm" onClick={retry}>
          Try again
        </Button>
      )}
    </Fault>
  );
}

/** What could not be done; without an answer of the gateway, it may have been. */
export function Refusal({ error, title }: { error: Error; title?: string }) {
  const isUncertain = error instanceof ApiError && error.status === 0;
  const usual = isUncertain ? 'It is not known whether this was done' : 'Nothing has changed';
  return <Fault title={title ?? usual} error={error} />;
}

interface FaultProps {
  title: string;
  error: Error;
  children?: ReactNode;
}

function Fault({ title, error, children }: FaultProps) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert role="alert" color="red" variant="outline" title={title} my="md">
      <Text>{error.message}</Text>
      {requestId !== undefined && <Text size="sm">Id of this call: {requestId}</Text>}
      {children}
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
