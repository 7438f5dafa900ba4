import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { PAGE_QUERY, createListSchema, encodeList, readPage } from '../../../admin/list.ts';
import { encodeOrganization, organizationShape } from '../../../admin/organization-shape.ts';

export const listOrganizationsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/organizations',
  summary: 'List organizations, oldest first.',
  task: 'accounts:read',
  query: PAGE_QUERY,
  answer: { description: 'A page of organizations.', schema: createListSchema(organizationShape) },
  handle: async ({ directory, query }) => {
    const page = readPage(query);
    return encodeList(page, (await directory.listOrganizations(page)).map(encodeOrganization));
  },
});
