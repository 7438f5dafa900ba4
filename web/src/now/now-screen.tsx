import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { LiveState } from '../api/live-stream.ts';
import { latestQuery, usageQuery } from '../api/queries.ts';
import { useLive } from '../api/use-live.ts';
import { LiveMark } from '../parts/live-mark.tsx';
import { Failure, Loading } from '../parts/state.tsx';
import { useCalm } from '../parts/use-calm.ts';
import { useIsMember } from '../parts/use-can.ts';
import { Budgets } from './budgets.tsx';
import { FirstRequest } from './first-request.tsx';
import { GroupTable } from './group-table.tsx';
import { SpendChart } from './spend-chart.tsx';
import { Tiles } from './tiles.tsx';

const RANGES = { day: 24, week: 7 * 24, month: 30 * 24 } as const;
const OWN_GROUPS = ['model', 'provider', 'key', 'client', 'finish'] as const;
const GROUPS = [...OWN_GROUPS, 'member', 'project', 'organization'] as const;
type Range = keyof typeof RANGES;
export type UsageBy = (typeof GROUPS)[number];
const HOUR_MS = 3_600_000;
/** Sums are read again so often at most, however many requests end. */
const CALM_MS = 2_000;
/** While nothing ends, the period moves on. */
const LIVE_MS = 60_000;
const UNLIVE_MS = 5_000;

interface NowSearch {
  range?: Range;
  by?: UsageBy;
}

export function readNowSearch({ range, by }: Record<string, unknown>): NowSearch {
  const known = GROUPS.find((name) => name === by);
  return { ...(range === 'week' || range === 'month' ? { range } : {}), ...(known ? { by: known } : {}) };
}

const route = getRouteApi('/');

export function NowScreen() {
  const { range = 'day', by = 'model' } = route.useSearch();
  const since = useSince(RANGES[range]);
  const lastDay = useSince(RANGES.day);
  const { live, latest, byTime, byGroup } = useUsage(range, by, since);
  const failed = latest.error ?? byTime.error ?? byGroup.error;
  if (failed) return <Failure error={failed} retry={() => void latest.refetch()} />;
  if (!latest.data || !byTime.data || !byGroup.data) return <Loading what="usage" />;
  return (
    <Stack>
      <Controls live={live} />
      <FirstRequest latest={latest.data.data} />
      <Tiles lines={byTime.data.data} latest={latest.data.data} />
      <SpendChart lines={byTime.data.data} step={range === 'day' ? 'hour' : 'day'} since={since} />
      <Budgets since={lastDay} />
      <GroupTable lines={byGroup.data.data} by={by} />
    </Stack>
  );
}

/** The sums of the period; read again as requests end, or from time to time where the stream does not come through. */
function useUsage(range: Range, by: UsageBy, since: string) {
  const client = useQueryClient();
  const times = range === 'day' ? 'hour,finish' : 'day,finish';
  const refresh = useCalm(
    useCallback(() => {
      for (const queryKey of [
        ['usage', times, since],
        ['usage', by, since],
        ['logs', 'latest'],
      ])
        void client.invalidateQueries({ queryKey, exact: true });
    }, [client, times, by, since]),
    CALM_MS,
  );
  const live = useLive({ onRows: refresh, onGap: refresh });
  const refetchMs = live === 'live' ? LIVE_MS : UNLIVE_MS;
  return {
    live,
    latest: useQuery(latestQuery(refetchMs)),
    byTime: useQuery(usageQuery({ by: times, since, refetchMs })),
    byGroup: useQuery(usageQuery({ by, since, refetchMs })),
  };
}

function Controls({ live }: { live: LiveState }) {
  const { range = 'day', by = 'model' } = route.useSearch();
  const isMember = useIsMember();
  const navigate = route.useNavigate();
  const choose = (change: NowSearch): void => void navigate({ search: (old) => ({ ...old, ...change }) });
  return (
    <Group justify="space-between" align="end">
      <div>
        <Group gap="sm" align="baseline">
          <Title order={1} size="h2">
            Now
          </Title>
          <LiveMark state={live} />
        </Group>
        {isMember && (
          <Text size="sm">
            Your own usage: <Link to="/requests">your requests</Link>, <Link to="/access">your keys</Link>
          </Text>
        )}
      </div>
      <Group gap="sm">
        <NativeSelect
          label="Period"
          value={range}
          onChange={({ currentTarget }) => choose({ range: currentTarget.value as Range })}
          data={[
            { value: 'day', label: 'Last 24 hours' },
            { value: 'week', label: 'Last 7 days' },
            { value: 'month', label: 'Last 30 days' },
          ]}
        />
        <NativeSelect
          label="By"
          value={by}
          onChange={({ currentTarget }) => choose({ by: currentTarget.value as UsageBy })}
          data={isMember ? [...OWN_GROUPS] : [...GROUPS]}
        />
      </Group>
    </Group>
  );
}

/** The whole hour in which the period begins: sums are kept by the hour. */
function useSince(hours: number): string {
  const hour = Math.floor(Date.now() / HOUR_MS);
  return useMemo(() => new Date((hour + 1 - hours) * HOUR_MS).toISOString(), [hour, hours]);
}
