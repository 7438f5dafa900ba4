import { Stack, Title } from '@mantine/core';
import { useCan } from '../parts/use-can.ts';
import { BrowserSessions } from './browser-sessions.tsx';
import { Keys } from './keys.tsx';
import { Organizations } from './organizations.tsx';

export function AccessScreen() {
  const can = useCan();
  return (
    <Stack gap="xl">
      <Title order={1} size="h2">
        Access
      </Title>
      <Keys canWrite={can('accounts', 'write')} />
      <Organizations canWrite={can('accounts', 'write')} />
      {can('admin_keys', 'read') && <BrowserSessions canWrite={can('admin_keys', 'write')} />}
    </Stack>
  );
}
