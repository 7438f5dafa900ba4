import { Group, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ActivityFilter, ActivityLinks } from '../parts/activity-links.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { withoutOpen } from './access-search.ts';

interface RecordPageProps {
  id: string;
  name: string;
  /** Where the list of its kind is. */
  back: string;
  /** What requests, usage and sessions are filtered by to be its own. */
  filter?: ActivityFilter;
  actions?: ReactNode;
  children: ReactNode;
}

/** One record with all that can be set. */
export function RecordPage({ id, name, back, filter, actions, children }: RecordPageProps) {
  return (
    <Stack gap="lg">
      <div>
        <Link from="/access" to="/access" search={withoutOpen}>
          ← {back}
        </Link>
      </div>
      <Group justify="space-between">
        <Title order={2} size="h3" className="name">
          {name}
        </Title>
        <Group gap="xs">
          <CopyText name="Copy id" text={id} />
          {actions}
        </Group>
      </Group>
      {filter && <ActivityLinks filter={filter} id={id} name={name} />}
      {children}
    </Stack>
  );
}
