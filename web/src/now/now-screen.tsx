import { Group, NativeSelect, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { latestQuery, usageQuery } from '../api/queries.ts';
import { Failure, Loading } from '../parts/state.tsx';
import { Budgets } from './budgets.tsx';
import { FirstRequest } from './first-request.tsx';
import { GroupTable } from './group-table.tsx';
import { SpendChart } from './spend-chart.tsx';
import { Tiles } from './tiles.tsx';

const RANGES = { day: 24, week: 7 * 24, month: 30 * 24 } as const;
const GROUPS = ['model', 'provider', 'key', 'project', 'organization', 'finish'] as const;
type Range = keyof typeof RANGES;
export type UsageBy = (typeof GROUPS)[number];
const HOUR_MS = 3_600_000;
const REFRESH_MS = 5_000;
const FIRST_MS = 500;

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
  const latest = useQuery({
    ...latestQuery(REFRESH_MS),
    refetchInterval: ({ state }) => (state.data?.data.length ? REFRESH_MS : FIRST_MS),
  });
  const byTime = useQuery(
    usageQuery({ by: range === 'day' ? 'hour,finish' : 'day,finish', since, refetchMs: REFRESH_MS }),
  );
  const byGroup = useQuery(usageQuery({ by, since, refetchMs: REFRESH_MS }));
  const failed = latest.error ?? byTime.error ?? byGroup.error;
  if (failed) return <Failure error={failed} retry={() => void latest.refetch()} />;
  if (!latest.data || !byTime.data || !byGroup.data) return <Loading what="usage" />;
  return (
    <Stack>
      <Controls />
      <FirstRequest latest={latest.data.data} />
      <Tiles lines={byTime.data.data} latest={latest.data.data} />
      <SpendChart lines={byTime.data.data} step={range === 'day' ? 'hour' : 'day'} since={since} />
      <Budgets since={lastDay} />
      <GroupTable lines={byGroup.data.data} by={by} />
    </Stack>
  );
}

function Controls() {
  const { range = 'day', by = 'model' } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (change: NowSearch): void => void navigate({ search: (old) => ({ ...old, ...change }) });
  return (
    <Group justify="space-between" align="end">
      <Title order={1} size="h2">
        Now
      </Title>
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
          data={[...GROUPS]}
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
