import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface SecretProps {
  title: string;
  secret: string;
  /** What else to know about it. */
  note?: ReactNode;
  onClose(): void;
}

/** A new secret. It is not kept anywhere. */
export function Secret({ title, secret, note, onClose }: SecretProps) {
  return (
    <Alert role="status" color="green" variant="outline" title={title} mb="md">
      <Stack gap="sm">
        <Code block>{secret}</Code>
        <Text size="sm">Put it where it is needed before you close this.</Text>
        {note !== undefined && <Text size="sm">{note}</Text>}
        <Group gap="sm">
          <CopyButton value={secret}>
            {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
          </CopyButton>
          <Button variant="default" onClick={onClose}>
            I have it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
