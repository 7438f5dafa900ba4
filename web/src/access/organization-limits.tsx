import { Stack } from '@mantine/core';
import { ORGANIZATION_FIELDS } from './fields/rate-limit-fields.ts';
import { Rules } from './rules.tsx';
import type { Scope } from './scope.ts';
import { FactList } from '../parts/fact-list.tsx';
import { SettingsSection } from './forms/settings-section.tsx';
import { listPeriod } from './this-period.tsx';

/** What applies to every key of the organization. */
export function OrganizationLimits({ organization, canWrite }: Scope) {
  const { id } = organization;
  return (
    <Stack gap="lg">
      {organization.recurring_usage && <FactList of={listPeriod(organization)} />}
      <SettingsSection
        title="Name and limits across all keys"
        fields={ORGANIZATION_FIELDS}
        record={organization}
        path="/admin/v1/organizations/{id}"
        id={id}
        canWrite={canWrite}
      />
      <Rules layer="organization" subject={{ id }} organization={organization} canWrite={canWrite} />
    </Stack>
  );
}
