import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed, nameField } from '../../../admin/fields.ts';
import { encodeOrganization, organizationShape } from '../../../admin/organization-shape.ts';

export const createOrganizationEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations',
  summary: 'Make an organization; it shares one purse.',
  task: 'accounts:write',
  body: closed({ name: nameField }),
  answer: { description: 'The organization.', schema: organizationShape },
  handle: async ({ directory, body }) => encodeOrganization(await directory.createOrganization(body.name)),
});
