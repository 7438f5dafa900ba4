import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/queries.ts';
import { BrowserSessions } from './browser-sessions.tsx';
import { Keys } from './keys.tsx';
import { Organizations } from './organizations.tsx';

/** What a session may do; the gateway decides, this only hides what it would refuse. */
export function useCan(): (area: 'accounts' | 'admin_keys', verb: 'read' | 'write') => boolean {
  const { data } = useQuery(sessionQuery);
  const scopes = data?.scopes ?? [];
  return (area, verb) =>
    scopes.includes('all') ||
    scopes.includes(`${area}:write`) ||
    (verb === 'read' && (scopes.includes('read') || scopes.includes(`${area}:read`)));
}

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
