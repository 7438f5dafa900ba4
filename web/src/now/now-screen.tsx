import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type ReportScope, holdsQuery, latencyQuery, latestQuery, usageQuery } from '../api/queries.ts';
import { useLive } from '../api/use-live.ts';
import { Failure, Loading } from '../parts/state.tsx';
import { findFault } from '../parts/find-fault.ts';
import { useCalm } from '../parts/use-calm.ts';
import { Budgets } from './budgets.tsx';
import { FirstRequest } from './first-request.tsx';
import { GroupTable, TIMED } from './group-table.tsx';
import { NowControls } from './now-controls.tsx';
import { RANGES, type Range, type UsageBy, startOf } from './now-search.ts';
import { SpendChart } from './spend-chart.tsx';
import { Tiles } from './tiles.tsx';

const HOUR_MS = 3_600_000;
/** Sums are read again so often at most, however many requests end. */
const CALM_MS = 2_000;
/** While nothing ends, the period moves on. */
const LIVE_MS = 60_000;
const UNLIVE_MS = 5_000;

const route = getRouteApi('/');

export function NowScreen() {
  const { range = 'day', by = 'model', ...scope } = route.useSearch();
  const since = useSince(range);
  // A list has no range of twelve months.
  const shown = { ...(range === 'year' ? { since } : { range }), ...scope };
  const usage = useUsage({ range, by, since, scope });
  const { latest, byTime, byGroup, times, timesByGroup, holds } = usage;
  const failed = [latest, byTime, byGroup, times].map(findFault).find((fault) => fault !== null);
  const isRead = latest.data && byTime.data;
  return (
    <Stack>
      <NowControls live={usage.live} />
      {failed && <Failure error={failed} retry={usage.refresh} isOld={Boolean(isRead)} />}
      {!isRead && !failed && <Loading what="usage" />}
      {isRead && (
        <>
          <FirstRequest latest={latest.data.data} />
          <Tiles lines={byTime.data.data} times={times.data?.data[0]} holds={holds.data} shown={shown} />
          <SpendChart lines={byTime.data.data} step={RANGES[range].step} since={since} />
          {scope.key_id === undefined && <Budgets scope={scope} />}
          {byGroup.data ? (
            <GroupTable lines={byGroup.data.data} times={timesByGroup.data?.data} by={by} shown={shown} />
          ) : (
            !failed && <Loading what="groups" />
          )}
        </>
      )}
    </Stack>
  );
}

interface ShownPeriod {
  range: Range;
  by: UsageBy;
  since: string;
  scope: ReportScope & { key_id?: string };
}

/** The sums of the period; read again as requests end, or from time to time where the stream does not come through. */
function useUsage({ range, by, since, scope }: ShownPeriod) {
  const client = useQueryClient();
  const refresh = useCalm(
    useCallback(() => {
      for (const queryKey of [['usage'], ['latency'], ['holds'], ['logs', 'latest']])
        void client.invalidateQueries({ queryKey });
    }, [client]),
    CALM_MS,
  );
  const live = useLive({ query: { ...scope }, onRows: refresh, onGap: refresh });
  const refetchMs = live === 'live' ? LIVE_MS : UNLIVE_MS;
  const report = { since, scope, refetchMs };
  // There are times and holds of every owner of keys, not of a single key.
  const { key_id: key, ...owner } = scope;
  const enabled = key === undefined;
  return {
    live,
    refresh,
    latest: useQuery(latestQuery(refetchMs)),
    byTime: useQuery(usageQuery({ ...report, by: `${RANGES[range].step},finish` })),
    byGroup: useQuery(usageQuery({ ...report, by })),
    times: useQuery({ ...latencyQuery({ ...report, scope: owner, by: '' }), enabled }),
    timesByGroup: useQuery({
      ...latencyQuery({ ...report, scope: owner, by }),
      enabled: enabled && TIMED.includes(by),
    }),
    holds: useQuery({ ...holdsQuery(owner, refetchMs), enabled }),
  };
}

/** When the period begins; it moves on with each hour. */
function useSince(range: Range): string {
  const hour = Math.floor(Date.now() / HOUR_MS);
  return useMemo(() => startOf(range, hour * HOUR_MS), [hour, range]);
}
