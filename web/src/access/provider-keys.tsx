import { Group } from '@mantine/core';
import { call } from '../api/client.ts';
import { Moment } from '../parts/values.tsx';
import { type RecordOf, useRecords } from './access-queries.ts';
import { providerKeyFields } from './fields/byok-fields.ts';
import { ConfirmAction } from './forms/confirm-action.tsx';
import { useMakeNew } from './forms/make-new.tsx';
import { ProviderTest } from './provider-test.tsx';
import { type Column, RecordList } from './record-list.tsx';
import type { Scope } from './scope.ts';
import { useSuggestions } from './suggestions.ts';

type ProviderKey = RecordOf<'/admin/v1/provider_keys'>;

/** The organization's own keys for providers of the catalogue. */
export function ProviderKeys({ organization: { id }, canWrite }: Scope) {
  const list = useRecords('/admin/v1/provider_keys', { organization_id: id });
  const { providers } = useSuggestions();
  const set = useMakeNew({
    name: 'Set a provider key',
    fields: providerKeyFields(providers),
    path: '/admin/v1/provider_keys',
    fixed: { organization_id: id },
    verb: 'Set',
  });
  return (
    <RecordList
      title="Provider keys"
      what="provider keys"
      list={list}
      columns={describe(canWrite)}
      action={canWrite && set.button}
      empty={{
        title: 'No provider keys',
        advice:
          'Requests use the keys of the gateway. With its own key, the organization is billed by the provider.',
      }}
    >
      {set.form}
    </RecordList>
  );
}

const describe = (canWrite: boolean): Column<ProviderKey>[] => [
  { name: 'Provider', cell: ({ provider }) => provider },
  { name: 'Key', cell: ({ masked, readable }) => (readable ? masked : 'cannot be decrypted; set it again') },
  { name: 'Sent to', isWide: true, cell: ({ origin }) => origin },
  { name: 'Since', isWide: true, cell: ({ created_at: at }) => <Moment iso={at} /> },
  ...(canWrite ? [{ name: 'Actions', cell: (one: ProviderKey) => <Actions of={one} /> }] : []),
];

function Actions({ of: { id, provider, organization_id: organizationId } }: { of: ProviderKey }) {
  return (
    <Group gap="xs">
      <ProviderTest organizationId={organizationId} provider={provider} />
      <ConfirmAction
        name="Remove"
        about={provider}
        explains={`Requests to ${provider} use the key of the gateway from now on, if it has one, and are charged as usual. Open videos of this key end.`}
        run={() => call('delete', '/admin/v1/provider_keys/{id}', { id })}
      />
    </Group>
  );
}
