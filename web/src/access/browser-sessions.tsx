import { useQuery, useQueryClient } from '@tanstack/react-query';
import { GATEWAY, call } from '../api/client.ts';
import { SESSION_KEY, sessionQuery } from '../api/queries.ts';
import { describeBrowser } from '../parts/describe-browser.ts';
import { useSeesAll } from '../parts/use-can.ts';
import { Moment } from '../parts/values.tsx';
import { newLinkFields } from './fields/admin-key-fields.ts';
import type { AdminScope } from './admin-keys.tsx';
import { type RecordOf, useRecords } from './access-queries.ts';
import { ConfirmAction } from './forms/confirm-action.tsx';
import { useMakeSecret } from './forms/make-secret.tsx';
import { type Column, RecordList } from './record-list.tsx';

type BrowserSession = RecordOf<'/admin/v1/dashboard_sessions'>;

/** Who is signed in to the dashboard, and links that are not used yet. */
export function BrowserSessions({ organization, canWrite }: AdminScope) {
  const seesAll = useSeesAll();
  const own = useQuery(sessionQuery).data?.id;
  const list = useRecords('/admin/v1/dashboard_sessions');
  const records = list.records?.filter(({ organization_id: of }) => of === null || of === organization.id);
  const made = useMakeSecret({
    name: 'Create a link',
    fields: newLinkFields({ organization, seesAll }),
    path: '/admin/v1/dashboard_sessions',
    verb: 'Create',
    title: 'The link, shown only this once',
    note: 'It signs one browser in, once and within 10 minutes.',
    show: (secret) => `${GATEWAY}/dashboard/#link=${secret}`,
  });
  return (
    <RecordList
      title="Dashboard sessions"
      what="sessions"
      list={{ ...list, records }}
      columns={describe(organization.name, { own: own ?? undefined, canWrite })}
      action={canWrite && made.button}
      empty={{ title: 'No session', advice: 'Nobody is signed in to this organization.' }}
    >
      {made.form}
    </RecordList>
  );
}

interface SessionActions {
  own: string | undefined;
  canWrite: boolean;
}

const describe = (organization: string, { own, canWrite }: SessionActions): Column<BrowserSession>[] => [
  {
    name: 'Label',
    cell: ({ id, label, user_agent: agent }) => (
      <>
        {label} {id === own && <strong>(this browser)</strong>}
        <div className="quiet small" title={agent ?? undefined}>
          {agent === null ? 'link not used yet' : describeBrowser(agent)}
        </div>
      </>
    ),
  },
  {
    name: 'Rights',
    cell: ({ role, scopes, organization_id: of }) =>
      `${role ?? scopes.join(', ')} ${of === null ? 'everywhere' : `in ${organization}`}`,
  },
  {
    name: 'Last seen',
    isWide: true,
    cell: ({ last_seen_at: at }) => (at === null ? 'link not used yet' : <Moment iso={at} />),
  },
  { name: 'Ends', isWide: true, cell: ({ expires_at: end }) => <Moment iso={end} /> },
  ...(canWrite
    ? [{ name: 'Actions', cell: (one: BrowserSession) => <End session={one} isOwn={one.id === own} /> }]
    : []),
];

function End({ session: { id, label }, isOwn }: { session: BrowserSession; isOwn: boolean }) {
  const client = useQueryClient();
  const end = async (): Promise<void> => {
    await call('delete', '/admin/v1/dashboard_sessions/{id}', { id });
    if (isOwn) await client.invalidateQueries({ queryKey: SESSION_KEY });
  };
  return (
    <ConfirmAction
      name="End"
      about={`${label} ${id}`}
      explains={
        isOwn
          ? 'You are signed out here and now.'
          : 'Its next request is refused, and its browser asks to sign in again.'
      }
      run={end}
    />
  );
}
