import { Group, NativeSelect, Stack, Tabs, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ScopeFilters } from '../parts/names/scope-filters.tsx';
import { Advice } from './advice.tsx';
import { CacheMisses } from './cache-misses.tsx';
import { KINDS, SPANS, type SavingsSearch, type Span, readSavingsSearch } from './savings-search.ts';

const HOUR_MS = 3_600_000;
const route = getRouteApi('/savings');

/** What would have cost less: findings of the advice, and prompts that were not read from the cache. */
export function SavingsScreen() {
  const { part = 'advice', span = 'week', kind, ...scope } = route.useSearch();
  const navigate = route.useNavigate();
  const since = useMemo(() => new Date(Date.now() - SPANS[span].hours * HOUR_MS).toISOString(), [span]);
  const apply = (change: { [Name in keyof SavingsSearch]: SavingsSearch[Name] | string | undefined }): void =>
    void navigate({ search: (old) => readSavingsSearch({ ...old, ...change }) });
  return (
    <Stack>
      <Title>Savings</Title>
      <Group align="end" gap="sm">
        <ScopeFilters scope={scope} choose={apply} />
        <NativeSelect
          label="Period"
          value={span}
          onChange={({ currentTarget }) => apply({ span: currentTarget.value })}
          data={(Object.keys(SPANS) as Span[]).map((name) => ({ value: name, label: SPANS[name].name }))}
        />
        {part === 'advice' && (
          <NativeSelect
            label="Kind"
            value={kind ?? ''}
            onChange={({ currentTarget }) => apply({ kind: currentTarget.value })}
            data={[
              { value: '', label: 'All' },
              ...Object.entries(KINDS).map(([value, label]) => ({ value, label })),
            ]}
          />
        )}
      </Group>
      <Tabs value={part} onChange={(next) => apply({ part: next ?? 'advice' })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="advice">Advice</Tabs.Tab>
          <Tabs.Tab value="misses">Cache misses</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="advice">
          <Advice query={{ ...scope, since, kind }} />
        </Tabs.Panel>
        <Tabs.Panel value="misses">
          <CacheMisses query={{ ...scope, since }} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
