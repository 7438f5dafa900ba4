import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { adminKeyShape, encodeAdminKey } from '../../../admin/admin-key-shape.ts';
import { PAGE_QUERY, createListSchema, encodeList, readPage } from '../../../admin/list.ts';

export const listAdminKeysEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/admin_keys',
  summary: 'List admin keys, oldest first, never with their text.',
  task: 'admin_keys:read',
  query: { organization_id: 'Only keys that are bound to this organization.', ...PAGE_QUERY },
  answer: { description: 'A page of admin keys.', schema: createListSchema(adminKeyShape) },
  handle: async ({ directory, query }) => {
    const page = readPage(query);
    const { organization_id: organizationId } = query;
    const keys = await directory.listAdminKeys({
      ...(organizationId !== undefined && { organizationId }),
      ...page,
    });
    return encodeList(page, keys.map(encodeAdminKey));
  },
});
