import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useCan } from '../parts/use-can.ts';

const MOST = '100';

/** Names of who changes something: the labels of admin keys and of sessions of the dashboard, where they may be read. */
export function useActors(): (actor: string) => string | undefined {
  const enabled = useCan()('admin_keys', 'read');
  const { data } = useQuery({ queryKey: ['actors'], queryFn: readActors, enabled });
  return (actor) => data?.get(actor);
}

async function readActors(): Promise<ReadonlyMap<string, string>> {
  const [keys, sessions] = await Promise.all([
    call('get', '/admin/v1/admin_keys', { query: { limit: MOST } }),
    call('get', '/admin/v1/dashboard_sessions', { query: { limit: MOST, ended: 'true' } }),
  ]);
  return new Map([
    ...keys.data.map(({ id, label }) => [id, `admin key ${label}`] as const),
    ...sessions.data.map(({ id, label }) => [id, label] as const),
  ]);
}
