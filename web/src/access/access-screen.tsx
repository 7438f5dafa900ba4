import { Stack, Title } from '@mantine/core';
import { useCan, useIsMember, useSeesAll } from '../parts/use-can.ts';
import { BrowserSessions } from './browser-sessions.tsx';
import { Keys } from './keys.tsx';
import { Organizations } from './organizations.tsx';

export function AccessScreen() {
  const can = useCan();
  const seesAll = useSeesAll();
  const isMember = useIsMember();
  return (
    <Stack gap="xl">
      <Title order={1} size="h2">
        Access
      </Title>
      <Keys canWrite={can('accounts', 'write')} />
      {!isMember && <Organizations canWrite={can('accounts', 'write')} canAdd={seesAll} />}
      {can('admin_keys', 'read') && <BrowserSessions canWrite={can('admin_keys', 'write')} />}
    </Stack>
  );
}
