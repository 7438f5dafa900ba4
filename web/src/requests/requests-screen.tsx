import { Button, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type AnswerOf, call } from '../api/client.ts';
import { useLive } from '../api/use-live.ts';
import { formatCount } from '../parts/format.ts';
import { LiveMark } from '../parts/live-mark.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { findFault } from '../parts/find-fault.ts';
import { useNarrow } from '../parts/lists/use-narrow.ts';
import { FilterBar } from './filter-bar.tsx';
import { ColumnPicker, useColumns } from './column-picker.tsx';
import { insertRows } from './insert-rows.ts';
import { RequestRows } from './request-rows.tsx';
import { type RequestsSearch, readRequestsSearch, toLogQuery } from './requests-search.ts';

const PAGE = '100';
const route = getRouteApi('/requests');

type Pages = InfiniteData<AnswerOf<'/admin/v1/logs', 'get'>, string>;

export function RequestsScreen() {
  const { live = true, ...query } = route.useSearch();
  const { pages, state, arrived, reset } = useRequests(query, live);
  const { columns, choose } = useColumns();
  const isNarrow = useNarrow();
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  const fault = findFault(pages);
  const isPaused = live && (pages.data?.pages.length ?? 0) > 1;
  return (
    <Stack>
      <Group justify="space-between">
        <Title>Requests</Title>
        <Group gap="sm">
          {live && <LiveMark state={state} />}
          {isPaused ? (
            <Button variant="default" onClick={reset}>
              Back to the newest{arrived > 0 && ` (${formatCount(arrived)} more)`}
            </Button>
          ) : (
            <Live />
          )}
          {!isNarrow && <ColumnPicker columns={columns} choose={choose} />}
        </Group>
      </Group>
      <FilterBar />
      {fault && <Failure error={fault} retry={() => void pages.refetch()} isOld={pages.data !== undefined} />}
      {pages.isPending && !fault && <Loading what="requests" />}
      {pages.data && rows.length === 0 && <NoRequests isFiltered={Object.keys(query).length > 0} />}
      {rows.length > 0 && (
        <RequestRows
          rows={rows}
          columns={columns}
          more={pages.hasNextPage && !pages.isFetchingNextPage ? () => void pages.fetchNextPage() : undefined}
        />
      )}
    </Stack>
  );
}

/** Refused requests are listed, too: nothing has arrived, or nothing fits. */
function NoRequests({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No matching requests">
        <Text size="sm">
          No request fits the filters and the time range. <Link to="/requests">Show all requests</Link>
        </Text>
      </Empty>
    );
  return (
    <Empty title="No requests yet">
      <Text size="sm">
        Requests appear here as they end, refused ones too. <Link to="/">How to send the first one</Link>, or{' '}
        <Link to="/playground">try a model in the playground</Link>.
      </Text>
    </Empty>
  );
}

/** Pages of requests; while only the newest is read, those that end are put into it. */
function useRequests(query: Omit<RequestsSearch, 'live'>, isLive: boolean) {
  const client = useQueryClient();
  const queryKey = ['logs', query];
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      call('get', '/admin/v1/logs', { query: { ...toLogQuery(query), limit: PAGE, after: pageParam } }),
    initialPageParam: '',
    getNextPageParam: (page) => (page.has_more ? page.last_id : undefined),
  });
  const [arrived, setArrived] = useState(0);
  const { since, until, range: _range, ...filters } = query;
  const state = useLive({
    query: filters,
    isOn: isLive,
    onRows: (ended) => {
      const [from, to] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
      // Comparisons with NaN are false: without a time, all fit.
      const rows = ended.filter(({ started_at: at }) => !(Date.parse(at) < from) && !(Date.parse(at) >= to));
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
