import { Group, NativeSelect, Text, Title } from '@mantine/core';
import { Link, getRouteApi } from '@tanstack/react-router';
import type { LiveState } from '../api/live-stream.ts';
import { LiveMark } from '../parts/live-mark.tsx';
import { OnlyOf } from '../parts/names/only-of.tsx';
import { ScopeFilters } from '../parts/names/scope-filters.tsx';
import { useIsMember } from '../parts/use-can.ts';
import {
  GROUPS,
  type NowSearch,
  OWN_GROUPS,
  RANGES,
  RANGE_NAMES,
  type Range,
  type UsageBy,
  nameGroup,
  readNowSearch,
} from './now-search.ts';

const route = getRouteApi('/');

/** What the page shows; in the address, so that a link shows the same. */
export function NowControls({ live }: { live: LiveState }) {
  const { range = 'day', by = 'model', ...scope } = route.useSearch();
  const isMember = useIsMember();
  const navigate = route.useNavigate();
  const choose = (change: { [Name in keyof NowSearch]: NowSearch[Name] | undefined }): void =>
    void navigate({ search: (old) => readNowSearch({ ...old, ...change }) });
  return (
    <Group justify="space-between" align="end">
      <div>
        <Group gap="sm" align="baseline">
          <Title>Now</Title>
          <LiveMark state={live} />
        </Group>
        {isMember && (
          <Text size="sm">
            Your own usage: <Link to="/requests">your requests</Link>, <Link to="/access">your keys</Link>
          </Text>
        )}
      </div>
      <Group gap="sm" align="end">
        <OnlyOf
          filters={['key_id', 'member_id']}
          search={scope}
          remove={(filter) => choose({ [filter]: undefined })}
        />
        {!isMember && <ScopeFilters scope={scope} choose={choose} />}
        <NativeSelect
          label="Period"
          value={range}
          onChange={({ currentTarget }) => choose({ range: currentTarget.value as Range })}
          data={RANGE_NAMES.map((value) => ({ value, label: RANGES[value].name }))}
        />
        <NativeSelect
          label="Group by"
          value={by}
          onChange={({ currentTarget }) => choose({ by: currentTarget.value as UsageBy })}
          data={(isMember ? OWN_GROUPS : GROUPS).map((value) => ({ value, label: nameGroup(value) }))}
        />
      </Group>
    </Group>
  );
}
