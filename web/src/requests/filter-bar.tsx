import { Button, Group, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useNarrow } from '../parts/lists/use-narrow.ts';
import { ExportRows } from './export-rows.tsx';
import { FilterChips } from './filter-chips.tsx';
import { FILTER_NAMES, type RequestsSearch, readRequestsSearch } from './requests-search.ts';
import { TimeRange } from './time-range.tsx';

const route = getRouteApi('/requests');

/** They are in the address, so that a link shows the same requests. On a small screen a button opens them. */
export function FilterBar() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const apply = (change: { [Name in keyof RequestsSearch]?: unknown }): void =>
    void navigate({ search: (old) => readRequestsSearch({ ...old, ...change }) });
  const used = FILTER_NAMES.filter((name) => search[name] !== undefined).length + countTimes(search);
  const bar = (
    <Group gap="sm" justify="space-between" align="start">
      <Group gap="sm" align="start">
        <TimeRange search={search} apply={apply} />
        <FilterChips search={search} apply={apply} />
      </Group>
      <ExportRows key={JSON.stringify(search)} search={search} />
    </Group>
  );
  if (!isNarrow) return bar;
  return (
    <Stack gap="xs">
      <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters{used > 0 && ` (${used})`}
      </Button>
      {isOpen && bar}
    </Stack>
  );
}

const countTimes = ({ range, since, until }: RequestsSearch): number =>
  range !== undefined || since !== undefined || until !== undefined ? 1 : 0;
