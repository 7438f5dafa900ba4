import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { writeUsd } from '../parts/format.ts';
import { Read } from '../parts/state.tsx';
import { Moment, Usd } from '../parts/values.tsx';
import { type Key, type Member, recordQuery, useRecords, useSearchedRecords } from './access-queries.ts';
import { ConfirmAction } from './forms/confirm-action.tsx';
import { Spent, describeState } from './keys.tsx';
import { useMakeNew } from './forms/make-new.tsx';
import { MEMBER_FIELDS, NEW_MEMBER_FIELDS } from './fields/member-fields.ts';
import { type Column, RecordList, RecordName } from './record-list.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { RecordPage } from './record-page.tsx';
import { type Scope, useAccessSearch, useClose } from './scope.ts';
import { SettingsSection } from './forms/settings-section.tsx';
import { listPeriod } from './this-period.tsx';

/** Members of the organization, or one that is open. */
export function Members(scope: Scope) {
  const { open } = useAccessSearch();
  return open === undefined ? <MemberList {...scope} /> : <MemberPage key={open} id={open} {...scope} />;
}

const COLUMNS: readonly Column<Member>[] = [
  {
    name: 'Name',
    cell: ({ id, name, email }) => <RecordName id={id} name={name} about={email ?? undefined} />,
  },
  { name: 'Role', isShort: true, cell: ({ role }) => role },
  { name: 'Spent', isFigure: true, cell: (member) => <Spent of={member} /> },
  { name: 'Keys', isWide: true, isFigure: true, cell: ({ keys }) => keys },
];

function MemberList({ organization: { id }, canWrite }: Scope) {
  const { list, search } = useSearchedRecords('/admin/v1/members', { organization_id: id });
  const added = useMakeNew({
    name: 'Add a member',
    fields: NEW_MEMBER_FIELDS,
    path: '/admin/v1/members',
    fixed: { organization_id: id },
    verb: 'Add',
  });
  return (
    <RecordList
      title="Members"
      what="members"
      list={list}
      search={search}
      columns={COLUMNS}
      action={canWrite && added.button}
      empty={{
        title: 'No members yet',
        advice:
          'A member is a person whose keys share one budget. Who signs in by OpenID Connect becomes one.',
      }}
    >
      {added.form}
    </RecordList>
  );
}

const PATH = '/admin/v1/members/{id}';

/** One member: role, budget and keys. */
function MemberPage({ id, ...scope }: Scope & { id: string }) {
  return (
    <Read query={useQuery(recordQuery(PATH, id))} what="the member">
      {(member) => <FoundMember member={member} {...scope} />}
    </Read>
  );
}

function FoundMember({ member: data, canWrite, organization }: Scope & { member: Member }) {
  const close = useClose();
  const { id, name, usage } = data;
  const remove = (
    <ConfirmAction
      name="Remove"
      about={name}
      explains={`${name} is signed out, and the keys of this member (${data.keys}) and their session tokens are refused for good. The ${writeUsd(usage)} spent stay in the ledger.`}
      run={() => call('delete', PATH, { id }).then(close)}
    />
  );
  return (
    <RecordPage id={id} name={name} back="All members" filter="member_id" actions={canWrite && remove}>
      <FactList
        of={[
          ['E-mail', data.email ?? '–'],
          ['Total spent', <Usd exact={usage} />],
          ...listPeriod(data),
          ['Since', <Moment iso={data.created_at} />],
        ]}
      />
      <SettingsSection
        title="Name, role and limits"
        fields={MEMBER_FIELDS}
        record={data}
        path={PATH}
        id={id}
        canWrite={canWrite}
      />
      <MemberKeys memberId={id} organizationId={organization.id} />
    </RecordPage>
  );
}

const KEY_COLUMNS: readonly Column<Key>[] = [
  {
    name: 'Label',
    cell: ({ id, label, masked }) => <RecordName id={id} name={label} about={masked} part="keys" />,
  },
  { name: 'Spent', isFigure: true, cell: (key) => <Spent of={key} /> },
  { name: 'State', isShort: true, cell: describeState },
];

function MemberKeys({ memberId, organizationId }: { memberId: string; organizationId: string }) {
  const list = useRecords('/admin/v1/keys', { organization_id: organizationId, member_id: memberId });
  return (
    <RecordList
      title="Keys of this member"
      what="keys"
      list={list}
      columns={KEY_COLUMNS}
      empty={{ title: 'No keys yet', advice: 'Choose this member when you create a key.' }}
    />
  );
}
