import { Table } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { SESSION_KEY, browserSessionsQuery, sessionQuery } from '../api/queries.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Failure, Loading } from '../parts/state.tsx';
import { Moment } from '../parts/values.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';

type BrowserSession = AnswerOf<'/admin/v1/dashboard_sessions', 'get'>['data'][number];

/** Who is signed in to the dashboard, and links that are not used yet. */
export function BrowserSessions({ canWrite }: { canWrite: boolean }) {
  const { data, error, isPending, refetch } = useQuery(browserSessionsQuery);
  if (isPending) return <Loading what="sessions" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  return (
    <Section title="Sessions of this dashboard">
      <WideTable
        label="Sessions of this dashboard"
        head={['Label', 'Rights', 'Browser', 'Last seen', 'Ends', 'Actions']}
      >
        {data.data.map((session) => (
          <SessionRow key={session.id} session={session} canWrite={canWrite} />
        ))}
      </WideTable>
    </Section>
  );
}

function SessionRow({ session, canWrite }: { session: BrowserSession; canWrite: boolean }) {
  const client = useQueryClient();
  const own = useQuery(sessionQuery).data?.id;
  const { id, label, scopes } = session;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('delete', '/admin/v1/dashboard_sessions/{id}', { id }),
    onSuccess: () =>
      client.invalidateQueries({ queryKey: id === own ? SESSION_KEY : browserSessionsQuery.queryKey }),
  });
  return (
    <Table.Tr>
      <Table.Td>
        {label} {id === own && <strong>(this browser)</strong>}
        {error && <Failure error={error} />}
      </Table.Td>
      <Table.Td>
        {scopes.join(', ')}
        {session.organization_id !== null && ` of ${session.organization_id}`}
      </Table.Td>
      <Table.Td>{session.user_agent ?? '–'}</Table.Td>
      <Table.Td>
        {session.last_seen_at === null ? 'link not used yet' : <Moment iso={session.last_seen_at} />}
      </Table.Td>
      <Table.Td>
        <Moment iso={session.expires_at} />
      </Table.Td>
      <Table.Td>
        {canWrite && (
          <ConfirmButton
            name="End"
            about={`${label} ${id}`}
            explains="Its next request is refused, and its browser asks to sign in again."
            isBusy={isPending}
            onConfirm={mutate}
          />
        )}
      </Table.Td>
    </Table.Tr>
  );
}
