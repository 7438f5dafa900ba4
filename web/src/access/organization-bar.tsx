import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { ActivityLinks } from '../parts/activity-links.tsx';
import { call } from '../api/client.ts';
import { CopyText } from '../parts/copy-text.tsx';
import type { Organization } from './access-queries.ts';
import { ConfirmAction } from './forms/confirm-action.tsx';
import { fieldsOf } from './fields/field.ts';
import { useMakeNew } from './forms/make-new.tsx';
import { useAccessSearch } from './scope.ts';

const NEW_ORGANIZATION = fieldsOf('/admin/v1/organizations', {
  name: 'name',
  label: 'Organization name',
  effect: () => 'It has no projects, keys and limits yet, and nothing of other organizations is seen in it.',
});

interface OrganizationBarProps {
  listed: readonly Organization[];
  shown: Organization;
  /** Loads those that are not listed yet. */
  more: { load(): void; isLoading: boolean } | undefined;
  canAdd: boolean;
  /** Without an id, the first. */
  choose(id?: string): void;
}

/** Which organization is shown, and a way to another or a new one. */
export function OrganizationBar({ listed, shown, more, canAdd, choose }: OrganizationBarProps) {
  const { open } = useAccessSearch();
  const added = useMakeNew({
    name: 'Add an organization',
    fields: NEW_ORGANIZATION,
    path: '/admin/v1/organizations',
    verb: 'Add',
    isMain: false,
    onDone: (answer) => choose((answer as Organization).id),
  });
  return (
    <>
      <Group align={listed.length > 1 ? 'end' : 'center'} gap="sm">
        {listed.length > 1 ? (
          <NativeSelect
            label="Organization"
            size="xs"
            value={shown.id}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
            data={toOptions(listed)}
          />
        ) : (
          <Text>
            Organization <strong>{shown.name}</strong>
          </Text>
        )}
        <CopyText name="Copy its id" text={shown.id} />
        {more && (
          <Button variant="default" size="xs" loading={more.isLoading} onClick={more.load}>
            Show more organizations
          </Button>
        )}
        {canAdd && added.button}
        {canAdd && <RemoveOrganization organization={shown} onDone={choose} />}
        {open === undefined && <ActivityLinks filter="organization_id" id={shown.id} name={shown.name} />}
      </Group>
      {added.form}
    </>
  );
}

interface RemoveOrganizationProps {
  organization: Organization;
  onDone(): void;
}

function RemoveOrganization({ organization: { id, name }, onDone }: RemoveOrganizationProps) {
  return (
    <ConfirmAction
      name="Remove"
      about={name}
      explains={`All keys, members, admin keys and sessions of ${name} are refused at once, its provider keys and custom providers are deleted, and nothing brings them back. Requests and what they cost stay in reports.`}
      run={() => call('delete', '/admin/v1/organizations/{id}', { id }).then(() => onDone())}
    />
  );
}

/** By name; with the id where two have the same name. */
function toOptions(listed: readonly Organization[]): { value: string; label: string }[] {
  const names = Map.groupBy(listed, ({ name }) => name);
  return listed.map(({ id, name }) => ({
    value: id,
    label: (names.get(name)?.length ?? 0) > 1 ? `${name} (${id})` : name,
  }));
}
