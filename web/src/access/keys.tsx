import { Moment, Usd, UsdOf } from '../parts/values.tsx';
import { type Key, useRecords, useSearchedRecords } from './access-queries.ts';
import { newKeyFields } from './fields/key-fields.ts';
import { KeyPage } from './key-page.tsx';
import { useMakeSecret } from './forms/make-secret.tsx';
import { type Column, RecordList, RecordName } from './record-list.tsx';
import { type Scope, useAccessSearch } from './scope.ts';

/** Without an organization: the keys that the session sees, which are a member's own. */
export type KeysProps = Partial<Pick<Scope, 'organization'>> & Pick<Scope, 'canWrite'>;

/** API keys: those of the organization, or one that is open. */
export function Keys(props: KeysProps) {
  const { open } = useAccessSearch();
  return open === undefined ? <KeyList {...props} /> : <KeyPage key={open} id={open} {...props} />;
}

function KeyList({ organization, canWrite }: KeysProps) {
  const names = useOwners(organization?.id);
  const { list, search } = useSearchedRecords('/admin/v1/keys', { organization_id: organization?.id });
  const made = useMakeSecret({
    name: 'Create a key',
    fields: newKeyFields(names.projects, names.members),
    path: '/admin/v1/keys',
    verb: 'Create',
    title: "The key's secret, shown only this once",
  });
  const canCreate = canWrite && names.projects.length > 0;
  const advice = canWrite
    ? 'Create one to send requests; it belongs to a project.'
    : 'An administrator can create one.';
  return (
    <RecordList
      title="API keys"
      what="keys"
      list={list}
      search={search}
      columns={describeKeys(names)}
      action={canCreate && made.button}
      empty={{ title: 'No keys yet', advice }}
    >
      {made.form}
    </RecordList>
  );
}

interface Owners {
  projects: readonly { id: string; name: string }[];
  members: readonly { id: string; name: string }[];
}

/** The projects and members that keys belong to. */
export function useOwners(organizationId: string | undefined): Owners {
  const filter = { organization_id: organizationId };
  const isKnown = organizationId !== undefined;
  const projects = useRecords('/admin/v1/projects', filter, isKnown).records ?? [];
  const members = useRecords('/admin/v1/members', filter, isKnown).records ?? [];
  return { projects, members };
}

export const nameOf = (of: readonly { id: string; name: string }[], id: string | null): string =>
  of.find((one) => one.id === id)?.name ?? id ?? '–';

/** In one word, or since when it does not work. */
export function describeState({ disabled, expires_at: end }: Key): string {
  if (disabled) return 'disabled';
  return end !== null && new Date(end).getTime() <= Date.now() ? 'expired' : 'enabled';
}

const describeKeys = ({ projects, members }: Owners): Column<Key>[] => [
  {
    name: 'Label',
    cell: ({ id, label, masked }) => <RecordName id={id} name={label} about={masked} />,
  },
  ...(projects.length > 0
    ? [
        {
          name: 'Project',
          isWide: true,
          cell: ({ project_id: id }: Key) => nameOf(projects, id),
        },
        { name: 'Member', isWide: true, cell: ({ member_id: id }: Key) => nameOf(members, id) },
      ]
    : []),
  { name: 'Spent', isFigure: true, cell: (key) => <Spent of={key} /> },
  { name: 'State', isShort: true, cell: describeState },
  {
    name: 'Last used',
    isWide: true,
    cell: ({ last_used_at: at }) => (at === null ? 'not yet' : <Moment iso={at} />),
  },
];

/** What was spent, and the limits that apply. */
export function Spent({ of: { usage, limit, recurring_limit: recurring } }: SpentProps) {
  return (
    <>
      {limit === null ? <Usd exact={usage} /> : <UsdOf part={usage} whole={limit} />}
      {recurring && (
        <>
          , <Usd exact={recurring.amount} /> per {recurring.period}
        </>
      )}
    </>
  );
}

type SpentProps = { of: Pick<Key, 'usage' | 'limit' | 'recurring_limit'> };
