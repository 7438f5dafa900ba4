import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';

/** The secret of a new key. It is not kept anywhere. */
export function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Alert
      role="status"
      color="green"
      variant="outline"
      title="The key's secret, shown only this once"
      mb="md"
    >
      <Stack gap="sm">
        <Code block>{secret}</Code>
        <Text size="sm">Put it where it is needed before you close this.</Text>
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
