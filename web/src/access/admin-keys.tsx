import { call } from '../api/client.ts';
import { useSeesAll } from '../parts/use-can.ts';
import { Moment } from '../parts/values.tsx';
import { newAdminKeyFields } from './fields/admin-key-fields.ts';
import { type Organization, type RecordOf, useRecords } from './access-queries.ts';
import { ConfirmAction } from './forms/confirm-action.tsx';
import { useMakeSecret } from './forms/make-secret.tsx';
import { type Column, RecordList } from './record-list.tsx';

type AdminKey = RecordOf<'/admin/v1/admin_keys'>;

export interface AdminScope {
  organization: Organization;
  canWrite: boolean;
}

/** Keys for the administration API that reach this organization: its own, and those of the operator. */
export function AdminKeys({ organization, canWrite }: AdminScope) {
  const seesAll = useSeesAll();
  const list = useRecords('/admin/v1/admin_keys');
  const records = list.records?.filter(({ organization_id: of }) => of === null || of === organization.id);
  const made = useMakeSecret({
    name: 'Create an admin key',
    fields: newAdminKeyFields({ organization, seesAll }),
    path: '/admin/v1/admin_keys',
    verb: 'Create',
    title: 'The admin key, shown only this once',
  });
  return (
    <RecordList
      title="Admin keys"
      what="admin keys"
      list={{ ...list, records }}
      columns={describe(organization, canWrite)}
      action={canWrite && made.button}
      empty={{ title: 'No admin keys', advice: 'A program needs one to use the administration API.' }}
    >
      {made.form}
    </RecordList>
  );
}

const describe = ({ name }: Organization, canWrite: boolean): Column<AdminKey>[] => [
  {
    name: 'Label',
    cell: ({ label, masked }) => (
      <>
        {label}
        <div className="quiet small">{masked}</div>
      </>
    ),
  },
  { name: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  {
    name: 'Reaches',
    isWide: true,
    cell: ({ organization_id: of }) => (of === null ? 'all organizations' : name),
  },
  { name: 'State', isShort: true, cell: ({ disabled }) => (disabled ? 'disabled' : 'enabled') },
  { name: 'Created', isWide: true, cell: ({ created_at: at }) => <Moment iso={at} /> },
  ...(canWrite ? [{ name: 'Actions', cell: (key: AdminKey) => <SwitchKey adminKey={key} /> }] : []),
];

function SwitchKey({ adminKey: { id, label, disabled } }: { adminKey: AdminKey }) {
  return (
    <ConfirmAction
      name={disabled ? 'Enable' : 'Disable'}
      about={label}
      explains={
        disabled
          ? 'It is accepted again at once.'
          : 'Its requests are refused at once, and sessions of the dashboard that it signed in end.'
      }
      run={() => call('post', '/admin/v1/admin_keys/{id}', { id, body: { disabled: !disabled } })}
    />
  );
}
