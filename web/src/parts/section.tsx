import type { ReactNode } from 'react';
import { Group, Table, Title } from '@mantine/core';

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

interface WideTableProps {
  label: string;
  head: readonly string[];
  /** How many columns at the end are numbers. */
  figures?: number;
  /** The width below which it scrolls. */
  miw?: number;
  children: ReactNode;
}

/** A table that scrolls in itself where the screen is narrow. */
export function WideTable({ label, head, figures = 0, miw = 640, children }: WideTableProps) {
  return (
    <Table.ScrollContainer type="native" minWidth={miw} tabIndex={0} role="group" aria-label={label}>
      <Table className="figures">
        <Table.Thead>
          <Table.Tr>
            {head.map((name, index) => (
              <Table.Th key={name} className={index >= head.length - figures ? 'end' : ''}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
