import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A figure with its name above it and what it means below. */
export function Tile({ name, note, children }: { name: string; note: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" className="tile">
      <Text size="sm">{name}</Text>
      <div className="tile-figure figures">{children}</div>
      <Text size="xs" className="quiet">
        {note}
      </Text>
    </Paper>
  );
}
