import type { ReactNode } from 'react';
import { Group, Title } from '@mantine/core';

interface SectionProps {
  title: string;
  /** What can be done beside the title. */
  action?: ReactNode;
  children: ReactNode;
}

export function Section({ title, action, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </section>
  );
}
