import { Button, Group, NativeSelect, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type AnswerOf, call } from '../api/client.ts';
import { useLive } from '../api/use-live.ts';
import { formatCount } from '../parts/format.ts';
import { LiveMark } from '../parts/live-mark.tsx';
import { onSubmit } from '../parts/on-submit.ts';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { ExportRows } from './export-rows.tsx';
import { ColumnPicker, useColumns } from './column-picker.tsx';
import { insertRows } from './insert-rows.ts';
import { RequestRows } from './request-rows.tsx';

const FINISHES = [
  'completed',
  'length',
  'tool_calls',
  'content_filter',
  'canceled',
  'client_error',
  'upstream_error',
  'gateway_error',
];
const FILTERS = ['model', 'key_id', 'project_id', 'finish_reason', 'since'] as const;
const PAGE = '100';

type RequestsSearch = { [Name in (typeof FILTERS)[number]]?: string } & { live?: boolean };

export function readRequestsSearch(search: Record<string, unknown>): RequestsSearch {
  const read: RequestsSearch = search['live'] === false ? { live: false } : {};
  for (const name of FILTERS) {
    const value = search[name];
    if ((typeof value === 'string' || typeof value === 'number') && value !== '') read[name] = String(value);
  }
  return read;
}

const route = getRouteApi('/requests');

type Pages = InfiniteData<AnswerOf<'/admin/v1/logs', 'get'>, string>;

export function RequestsScreen() {
  const { live = true, ...query } = route.useSearch();
  const { pages, state, arrived, reset } = useRequests(query, live);
  const { columns, choose } = useColumns();
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  const isPaused = live && (pages.data?.pages.length ?? 0) > 1;
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          Requests
        </Title>
        <Group gap="sm">
          {live && <LiveMark state={state} />}
          {isPaused ? (
            <Button variant="default" onClick={reset}>
              Back to the newest{arrived > 0 && ` (${formatCount(arrived)} more)`}
            </Button>
          ) : (
            <Live />
          )}
          <ColumnPicker columns={columns} choose={choose} />
        </Group>
      </Group>
      <Filters key={JSON.stringify(query)} />
      {pages.error && <Failure error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isPending && <Loading what="requests" />}
      {pages.data && rows.length === 0 && (
        <Empty title="No request fits">
          <Text>Send one, or remove a filter. Refused requests are listed too.</Text>
        </Empty>
      )}
      {rows.length > 0 && (
        <RequestRows
          rows={rows}
          columns={columns}
          more={pages.hasNextPage && !pages.isFetchingNextPage ? () => void pages.fetchNextPage() : undefined}
        />
      )}
      {rows.length > 0 && <ExportRows key={JSON.stringify(query)} query={query} />}
    </Stack>
  );
}

/** Pages of requests; while only the newest is read, those that end are put into it. */
function useRequests(query: Omit<RequestsSearch, 'live'>, isLive: boolean) {
  const client = useQueryClient();
  const queryKey = ['logs', query];
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      call('get', '/admin/v1/logs', { query: { ...query, limit: PAGE, after: pageParam } }),
    initialPageParam: '',
    getNextPageParam: (page) => (page.has_more ? page.last_id : undefined),
  });
  const [arrived, setArrived] = useState(0);
  const { since, ...filters } = query;
  const state = useLive({
    query: filters,
    isOn: isLive,
    onRows: (ended) => {
      const from = since === undefined ? -Infinity : Date.parse(since);
      const rows = ended.filter(({ started_at: at }) => !(Date.parse(at) < from));
      const old = client.getQueryData<Pages>(queryKey);
      const [first] = old?.pages ?? [];
      if (old && first && old.pages.length === 1)
        client.setQueryData<Pages>(queryKey, { ...old, pages: [insertRows(first, rows)] });
      else setArrived((count) => count + rows.length);
    },
    // Older pages do not change, and reading them again would move what is read.
    onGap: () => {
      if ((client.getQueryData<Pages>(queryKey)?.pages.length ?? 1) === 1) void pages.refetch();
    },
  });
  const reset = (): void => {
    setArrived(0);
    void client.resetQueries({ queryKey });
  };
  return { pages, state, arrived, reset };
}

function Live() {
  const { live = true } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Switch
      label="Follow"
      checked={live}
      onChange={({ currentTarget }) =>
        void navigate({ search: (old) => readRequestsSearch({ ...old, live: currentTarget.checked }) })
      }
    />
  );
}

/** They are in the address, so that a link shows the same requests. */
function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [model, setModel] = useState(search.model ?? '');
  const [key, setKey] = useState(search.key_id ?? '');
  const apply = (change: RequestsSearch): void =>
    void navigate({ search: (old) => readRequestsSearch({ ...old, ...change }) });
  const submit = onSubmit(() => apply({ model: model.trim(), key_id: key.trim() }));
  return (
    <form onSubmit={submit} aria-label="Filters">
      <Group align="end" gap="sm">
        <TextInput
          label="Model"
          value={model}
          onChange={({ currentTarget }) => setModel(currentTarget.value)}
        />
        <TextInput label="Key id" value={key} onChange={({ currentTarget }) => setKey(currentTarget.value)} />
        <NativeSelect
          label="Finish"
          value={search.finish_reason ?? ''}
          onChange={({ currentTarget }) => apply({ finish_reason: currentTarget.value })}
          data={[{ value: '', label: 'any' }, ...FINISHES]}
        />
        <Button type="submit" variant="default">
          Filter
        </Button>
      </Group>
    </form>
  );
}
