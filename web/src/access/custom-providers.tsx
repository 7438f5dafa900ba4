import { Group } from '@mantine/core';
import { call } from '../api/client.ts';
import { Empty, Loading } from '../parts/state.tsx';
import { Moment } from '../parts/values.tsx';
import type { Records } from '../parts/lists/records.ts';
import { type RecordOf, useRecords } from './access-queries.ts';
import { NEW_MODEL_FIELDS, NEW_PROVIDER_FIELDS, PROVIDER_FIELDS } from './fields/byok-fields.ts';
import { ConfirmAction } from './forms/confirm-action.tsx';
import { useMakeNew } from './forms/make-new.tsx';
import { ProviderTest } from './provider-test.tsx';
import { type Column, RecordList, RecordName } from './record-list.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { RecordPage } from './record-page.tsx';
import { type Scope, useAccessSearch, useClose } from './scope.ts';
import { SettingsSection } from './forms/settings-section.tsx';

type CustomProvider = RecordOf<'/admin/v1/custom_providers'>;
type CustomModel = RecordOf<'/admin/v1/custom_models'>;

/** The organization's own providers, or one that is open. */
export function CustomProviders(scope: Scope) {
  const { open } = useAccessSearch();
  const list = useRecords('/admin/v1/custom_providers', { organization_id: scope.organization.id });
  if (open === undefined) return <ProviderList {...scope} list={list} />;
  if (!list.records) return <Loading what="the provider" />;
  const one = list.records.find(({ id }) => id === open);
  return one ? <ProviderPage {...scope} provider={one} /> : <Empty title="Provider not found" />;
}

const COLUMNS: readonly Column<CustomProvider>[] = [
  { name: 'Name', cell: ({ id, name, base_url: at }) => <RecordName id={id} name={name} about={at} /> },
  { name: 'Models', isShort: true, cell: ({ models }) => models },
  { name: 'Format', isWide: true, cell: ({ format }) => format },
  {
    name: 'Key',
    isWide: true,
    cell: ({ masked, readable }) => (readable ? masked : 'cannot be decrypted; enter it again'),
  },
];

type ProviderListProps = Scope & { list: Records<CustomProvider> };

function ProviderList({ organization: { id }, canWrite, list }: ProviderListProps) {
  const added = useMakeNew({
    name: 'Add a provider',
    fields: NEW_PROVIDER_FIELDS,
    path: '/admin/v1/custom_providers',
    fixed: { organization_id: id },
    verb: 'Add',
  });
  return (
    <RecordList
      title="Custom providers"
      what="providers"
      list={list}
      columns={COLUMNS}
      action={canWrite && added.button}
      empty={{
        title: 'No custom providers',
        advice: 'Only this organization can use those that are added here.',
      }}
    >
      {added.form}
    </RecordList>
  );
}

const PATH = '/admin/v1/custom_providers/{id}';

function ProviderPage({ provider, canWrite, organization }: Scope & { provider: CustomProvider }) {
  const { id, name, format, masked, models, created_at: since } = provider;
  const close = useClose();
  const actions = canWrite && (
    <>
      <ProviderTest organizationId={organization.id} provider={name} />
      <ConfirmAction
        name="Remove"
        about={name}
        explains={`Requests for ${name}/… are refused at once, and its models (${models}) are removed with it.`}
        run={() => call('delete', PATH, { id }).then(close)}
      />
    </>
  );
  return (
    <RecordPage id={id} name={name} back="All custom providers" actions={actions}>
      <FactList
        of={[
          ['Format', format],
          ['Key', masked],
          ['Since', <Moment iso={since} />],
        ]}
      />
      <SettingsSection
        title="Address and key"
        fields={PROVIDER_FIELDS}
        record={provider}
        path={PATH}
        id={id}
        canWrite={canWrite}
      />
      <Models provider={provider} canWrite={canWrite} />
    </RecordPage>
  );
}

function Models({ provider, canWrite }: { provider: CustomProvider; canWrite: boolean }) {
  const { organization_id: organizationId, name } = provider;
  const list = useRecords('/admin/v1/custom_models', { organization_id: organizationId });
  const added = useMakeNew({
    name: 'Add a model',
    fields: NEW_MODEL_FIELDS,
    path: '/admin/v1/custom_models',
    isMain: false,
    fixed: { organization_id: organizationId, provider: name },
    verb: 'Add',
  });
  const records = list.records?.filter(({ provider: of }) => of === name);
  return (
    <RecordList
      title="Models"
      what="models"
      list={{ ...list, records }}
      columns={describeModels(canWrite)}
      action={canWrite && added.button}
      empty={{ title: 'No models yet', advice: `Add one to call it as ${name}/….` }}
    >
      {added.form}
    </RecordList>
  );
}

const describeModels = (canWrite: boolean): Column<CustomModel>[] => [
  { name: 'Model', cell: ({ provider, name }) => `${provider}/${name}` },
  { name: 'Input', isShort: true, cell: ({ price }) => priceOf(price, 'input') },
  { name: 'Output', isShort: true, cell: ({ price }) => priceOf(price, 'output') },
  {
    name: 'Context',
    isWide: true,
    cell: ({ context_length: length }) => length.toLocaleString('en-US'),
  },
  ...(canWrite ? [{ name: 'Actions', cell: (model: CustomModel) => <RemoveModel model={model} /> }] : []),
];

const priceOf = (price: CustomModel['price'], part: string): string =>
  price?.[part] === undefined ? '–' : `$${price[part]}`;

function RemoveModel({ model: { id, provider, name } }: { model: CustomModel }) {
  return (
    <Group gap="xs">
      <ConfirmAction
        name="Remove"
        about={`${provider}/${name}`}
        explains={`Requests for ${provider}/${name} are refused at once.`}
        run={() => call('delete', '/admin/v1/custom_models/{id}', { id })}
      />
    </Group>
  );
}
