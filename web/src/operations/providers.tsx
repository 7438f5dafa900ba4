import { Group, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { type AnswerOf, call } from '../api/client.ts';
import { providersQuery } from '../api/queries.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { formatMs, formatRate, formatShare, formatTime } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Empty, Read } from '../parts/state.tsx';
import { useCan } from '../parts/use-can.ts';
import { readOperationsSearch } from './operations-search.ts';

type Provider = AnswerOf<'/admin/v1/providers', 'get'>['data'][number];
type Trial = AnswerOf<'/admin/v1/provider_tests', 'post'>['data'][number];

const WORST = ['closed', 'poor', 'due', 'healthy'];
/** States of docs/routing.md in words. */
const STATES: Readonly<Record<string, string>> = {
  closed: 'paused',
  poor: 'fails often',
  due: 'tried again by the next request',
};

const describeState = (state: string): string => STATES[state] ?? state;
const isBad = (state: string | undefined): boolean => state !== undefined && state !== 'healthy';

const route = getRouteApi('/operations');

const COLUMNS: readonly Column<Provider>[] = [
  { head: 'Key', kind: 'name', cell: describeKey },
  { head: 'Models', kind: 'figure', cell: ({ models }) => models },
  {
    head: 'State',
    isFailed: (provider) => isBad(worstOf(provider)),
    cell: (provider) => describeState(worstOf(provider) ?? 'not called yet'),
  },
];

type Health = Provider['health'][number] & { of: string };

const HEALTH: readonly Column<Health>[] = [
  {
    head: 'Provider',
    kind: 'name',
    cell: ({ of, credential }) => (credential === null ? of : `${of} (${credential})`),
  },
  { head: 'Model', kind: 'name', cell: ({ model }) => model },
  {
    head: 'State',
    isFailed: ({ state, called }) => called && isBad(state),
    cell: ({ state, called }) => (called ? describeState(state) : 'not called yet'),
  },
  {
    head: 'Failed',
    kind: 'figure',
    cell: ({ failed_share: share, called }) => (called ? formatShare(share) : '–'),
  },
  { head: 'Paused', kind: 'figure', cell: ({ paused_ms: ms }) => (ms === 0 ? '–' : formatMs(ms)) },
  { head: 'First token', kind: 'figure', cell: ({ first_event_ms: ms }) => formatTime(ms) },
  { head: 'Whole answer', kind: 'figure', cell: ({ whole_ms: ms }) => formatTime(ms) },
  { head: 'Tokens/s', kind: 'figure', cell: ({ ms_per_token: ms }) => formatRate(ms) },
];

/** Providers with their health as measured by calls; a test request shows more. */
export function Providers({ canTest }: { canTest: boolean }) {
  return (
    <Read query={useQuery(providersQuery)} what="providers">
      {({ data }) => <Listed providers={data} canTest={canTest} />}
    </Read>
  );
}

function Listed({ providers, canTest }: { providers: readonly Provider[]; canTest: boolean }) {
  const { all = false } = route.useSearch();
  const shown = providers.filter(({ live }) => all || live);
  const canRead = useCan()('logs', 'read');
  const name: Column<Provider> = {
    head: 'Provider',
    kind: 'name',
    cell: (provider) => (canRead ? <Requests of={provider} /> : provider.name),
    note: ({ id, name: called }) => (id === called ? undefined : id),
  };
  const test: Column<Provider> = {
    head: 'Test',
    cell: (provider) => <Test provider={provider} canTest={canTest} />,
  };
  const called = providers.flatMap(({ id, health }) => health.map((one) => ({ ...one, of: id })));
  return (
    <Stack gap="xl">
      <Section title="Providers" action={<AllSwitch isOn={all} />}>
        {shown.length === 0 ? (
          <Empty title="No provider has a key">Set a key in the environment or in sluice.yaml.</Empty>
        ) : (
          <DataTable
            label="Providers"
            columns={[name, ...COLUMNS, test]}
            rows={shown}
            keyOf={({ id }) => id}
            miw={720}
          />
        )}
      </Section>
      <Section title="Provider health">
        {called.length === 0 ? (
          <Text>No model was called since this gateway started.</Text>
        ) : (
          <DataTable
            label="Provider health"
            columns={HEALTH}
            rows={called}
            keyOf={({ of, model, credential }) => `${of} ${model} ${credential}`}
            miw={860}
          />
        )}
      </Section>
    </Stack>
  );
}

/** Its name, which leads to its requests. */
function Requests({ of: { id, name } }: { of: Provider }) {
  return (
    <Link to="/requests" search={{ provider_id: id }}>
      {name}
    </Link>
  );
}

function AllSwitch({ isOn }: { isOn: boolean }) {
  const navigate = route.useNavigate();
  return (
    <Switch
      label="Include providers without a key"
      checked={isOn}
      onChange={({ currentTarget }) =>
        void navigate({ search: (old) => readOperationsSearch({ ...old, all: currentTarget.checked }) })
      }
    />
  );
}

/** Sends a test request, and shows its results. */
function Test({ provider: { id, name, live }, canTest }: { provider: Provider; canTest: boolean }) {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => call('post', '/admin/v1/provider_tests', { body: { provider_id: id } }),
  });
  return (
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
      {error && <Text className="outcome failed">{error.message}</Text>}
      {data?.data.map((trial) => (
        <TrialResult key={trial.credential ?? ''} trial={trial} />
      ))}
    </Group>
  );
}

const worstOf = ({ health }: Provider): string | undefined =>
  WORST.find((state) => health.some((one) => one.called && one.state === state));

function describeKey({ credential, credentials, live }: Provider): string {
  if (credentials.length > 0) return credentials.join(', ');
  return credential ?? (live ? 'needs none' : 'none');
}

function TrialResult({ trial }: { trial: Trial }) {
  const { ok, model, duration_ms: ms, message, credential } = trial;
  return (
    <Text size="sm" role="status" className={`outcome ${ok ? '' : 'failed'}`}>
      {credential !== null && `${credential}: `}
      {ok ? `${model} answered in ${formatMs(ms)}` : message}
    </Text>
  );
}
