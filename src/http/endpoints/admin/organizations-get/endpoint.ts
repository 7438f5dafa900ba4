import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { encodeOrganization, organizationShape } from '../../../admin/organization-shape.ts';

export const getOrganizationEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/organizations/{id}',
  summary: 'An organization.',
  task: 'accounts:read',
  answer: { description: 'The organization.', schema: organizationShape },
  handle: async ({ directory, id }) => encodeOrganization(await directory.getOrganization(id)),
});
