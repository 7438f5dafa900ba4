import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { formatMs } from '../parts/format.ts';
import { Refusal } from '../parts/state.tsx';

interface ProviderTestProps {
  organizationId: string;
  provider: string;
}

/** Sends a test request with the organization's own key and shows what came of it. */
export function ProviderTest({ organizationId: id, provider }: ProviderTestProps) {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => call('post', '/admin/v1/organizations/{id}/provider_tests', { id, body: { provider } }),
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={isPending}
        onClick={() => mutate()}
        aria-label={`Test ${provider}`}
        title="Sends the smallest request; it costs a few tokens at the provider"
      >
        Test
      </Button>
      {data && (
        <Text size="sm" role="status" className={`outcome ${data.ok ? '' : 'failed'}`}>
          {data.ok ? `${data.model ?? 'It'} answered in ${formatMs(data.duration_ms)}.` : data.message}
        </Text>
      )}
      {error && <Refusal error={error} />}
    </>
  );
}
