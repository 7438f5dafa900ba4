import { Group, Stack, Switch, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type AnswerOf, call } from '../api/client.ts';
import { providersQuery } from '../api/queries.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { formatMs, formatShare } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { readOperationsSearch } from './operations-search.ts';

type Provider = AnswerOf<'/admin/v1/providers', 'get'>['data'][number];
type Trial = AnswerOf<'/admin/v1/provider_tests', 'post'>['data'][number];

const WORST = ['closed', 'poor', 'due', 'healthy'];
const route = getRouteApi('/operations');

/** Providers with what calls have shown of them; a test request says more. */
export function Providers({ canTest }: { canTest: boolean }) {
  const { all = false } = route.useSearch();
  const { data, error, isPending, refetch } = useQuery(providersQuery);
  if (isPending) return <Loading what="providers" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const shown = data.data.filter(({ live }) => all || live);
  const called = data.data.filter(({ health }) => health.length > 0);
  return (
    <Stack gap="xl">
      <Section title="Providers" action={<AllSwitch isOn={all} />}>
        {shown.length === 0 ? (
          <Empty title="No provider has a key">Set a key in the environment or in sluice.yaml.</Empty>
        ) : (
          <WideTable label="Providers" head={['Provider', 'Key', 'Models', 'State', 'Test']} miw={720}>
            {shown.map((provider) => (
              <ProviderRow key={provider.id} provider={provider} canTest={canTest} />
            ))}
          </WideTable>
        )}
      </Section>
      <Section title="What calls have shown">
        {called.length === 0 ? (
          <Text>No model was called since this gateway started.</Text>
        ) : (
          <HealthTable providers={called} />
        )}
      </Section>
    </Stack>
  );
}

function AllSwitch({ isOn }: { isOn: boolean }) {
  const navigate = route.useNavigate();
  return (
    <Switch
      label="Also without a key"
      checked={isOn}
      onChange={({ currentTarget }) =>
        void navigate({ search: (old) => readOperationsSearch({ ...old, all: currentTarget.checked }) })
      }
    />
  );
}

function ProviderRow({ provider, canTest }: { provider: Provider; canTest: boolean }) {
  const { id, name, live, models, health } = provider;
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => call('post', '/admin/v1/provider_tests', { body: { provider_id: id } }),
  });
  const worst = WORST.find((state) => health.some((one) => one.state === state));
  return (
    <Table.Tr>
      <Table.Td className="name">
        {name}
        <Text size="xs" className="quiet">
          {id}
        </Text>
      </Table.Td>
      <Table.Td className="name">{describeKey(provider)}</Table.Td>
      <Table.Td>{models}</Table.Td>
      <Table.Td className={worst === 'closed' || worst === 'poor' ? 'failed' : ''}>
        {worst ?? 'not called yet'}
      </Table.Td>
      <Table.Td>
        <Group gap="xs">
          {canTest && live && (
            <ConfirmButton
              name="Test"
              about={name}
              explains="It is sent a request for 16 tokens of its cheapest model, which it charges."
              isBusy={isPending}
              onConfirm={mutate}
            />
          )}
          {error && <Text className="failed">{error.message}</Text>}
          {data?.data.map((trial) => (
            <TrialResult key={trial.credential ?? ''} trial={trial} />
          ))}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function describeKey({ credential, credentials, live }: Provider): string {
  if (credentials.length > 0) return credentials.join(', ');
  return credential ?? (live ? 'needs none' : 'none');
}

function TrialResult({ trial }: { trial: Trial }) {
  const { ok, model, duration_ms: ms, message, credential } = trial;
  return (
    <Text size="sm" role="status" className={ok ? '' : 'failed'}>
      {credential !== null && `${credential}: `}
      {ok ? `${model} answered in ${formatMs(ms)}` : message}
    </Text>
  );
}

function HealthTable({ providers }: { providers: readonly Provider[] }) {
  const time = (ms: number | null): string => (ms === null ? '–' : formatMs(ms));
  const head = ['Provider', 'Model', 'State', 'Failed', 'Paused', 'First token', 'Whole answer', 'Tokens/s'];
  return (
    <WideTable label="What calls have shown" head={head} figures={5} miw={860}>
      {providers.flatMap(({ id, health }) =>
        health.map((one) => (
          <Table.Tr key={`${id} ${one.model} ${one.credential}`}>
            <Table.Td className="name">{one.credential === null ? id : `${id} (${one.credential})`}</Table.Td>
            <Table.Td className="name">{one.model}</Table.Td>
            <Table.Td>{one.state}</Table.Td>
            <Table.Td ta="end">{formatShare(one.failed_share)}</Table.Td>
            <Table.Td ta="end">{one.paused_ms === 0 ? '–' : formatMs(one.paused_ms)}</Table.Td>
            <Table.Td ta="end">{time(one.first_event_ms)}</Table.Td>
            <Table.Td ta="end">{time(one.whole_ms)}</Table.Td>
            <Table.Td ta="end">{one.ms_per_token ? (1_000 / one.ms_per_token).toFixed(1) : '–'}</Table.Td>
          </Table.Tr>
        )),
      )}
    </WideTable>
  );
}
