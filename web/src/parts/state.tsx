import type { ReactNode } from 'react';
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { ApiError } from '../api/client.ts';
import { type Tried, findFault } from './find-fault.ts';
import { capitalize } from './format.ts';

export function Loading({ what }: { what: string }) {
  return (
    <Group role="status" gap="sm" py="xl" justify="center">
      <Loader size="sm" />
      <Text>Loading {what}…</Text>
    </Group>
  );
}

interface FailureProps {
  error: Error;
  retry?: () => void;
  /** Whether what was loaded before is still shown. */
  isOld?: boolean;
}

/** What could not be loaded, in the gateway's own words, and a way on. */
export function Failure({ error, retry, isOld = false }: FailureProps) {
  const final = isFinal(error);
  if (final !== undefined)
    return (
      <Alert role="alert" color="red" variant="outline" title={final} my="md">
        {capitalize(error.message)}
      </Alert>
    );
  return (
    <Fault
      title={isOld ? 'This could not be loaded again; what is shown may be old' : 'This could not be loaded'}
      error={error}
    >
      {retry && (
        <Button variant="default" size="xs" mt="sm" onClick={retry}>
          Try again
        </Button>
      )}
    </Fault>
  );
}

/** A refusal that another try does not change. */
const isFinal = (error: Error | null): string | undefined =>
  error instanceof ApiError ? FINAL[error.status] : undefined;
const FINAL: Readonly<Record<number, string>> = { 403: 'Not allowed', 404: 'Not found' };

/** What a query has read; what it has read before stays while it cannot be read again. */
interface Reading<Data> extends Tried {
  data: Data | undefined;
  refetch(): unknown;
}

interface ReadProps<Data> {
  query: Reading<Data>;
  what: string;
  children(data: Data): ReactNode;
}

export function Read<Data>({ query, what, children }: ReadProps<Data>) {
  const { data, refetch } = query;
  const error = findFault(query);
  const shown = isFinal(error) === undefined ? data : undefined;
  return (
    <>
      {error && <Failure error={error} retry={() => void refetch()} isOld={shown !== undefined} />}
      {shown === undefined ? !error && <Loading what={what} /> : children(shown)}
    </>
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
      <Text>{capitalize(error.message)}</Text>
      {requestId !== undefined && <Text size="sm">Id of this call: {requestId}</Text>}
      {children}
    </Alert>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Alert variant="default" title={title} my="md">
      {children}
    </Alert>
  );
}
