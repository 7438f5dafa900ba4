import { Button } from '@mantine/core';
import type { ActivityFilter } from '../activity-links.tsx';
import { useNamesOf } from './use-names.ts';

const KINDS: Readonly<Record<ActivityFilter, string>> = {
  key_id: 'key',
  member_id: 'member',
  project_id: 'project',
  organization_id: 'organization',
};

interface OnlyOfProps {
  /** Those that a screen has no field for. */
  filters: readonly ActivityFilter[];
  search: { readonly [Filter in ActivityFilter]?: string | undefined };
  remove(filter: ActivityFilter): void;
}

/** Filters that a link has set, each to be removed. */
export function OnlyOf({ filters, search, remove }: OnlyOfProps) {
  const used = filters.filter((filter) => search[filter] !== undefined);
  const names = useNamesOf(used.map((filter) => search[filter] ?? ''));
  return used.map((filter) => {
    const id = search[filter] ?? '';
    return (
      <Button key={filter} variant="default" title={id} onClick={() => remove(filter)}>
        Of all {KINDS[filter]}s, not only {names.get(id) ?? id}
      </Button>
    );
  });
}
