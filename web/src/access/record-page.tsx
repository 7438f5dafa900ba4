import { Group, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyText } from '../parts/copy-text.tsx';
import { withoutOpen } from './access-search.ts';

interface RecordPageProps {
  id: string;
  name: string;
  /** Where the list of its kind is. */
  back: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** One record with all that can be set. */
export function RecordPage({ id, name, back, actions, children }: RecordPageProps) {
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
      {children}
    </Stack>
  );
}
