import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { encodeKey, keyShape } from '../../../admin/key-shape.ts';
import { PAGE_QUERY, createListSchema, encodeList, readPage } from '../../../admin/list.ts';

export const listKeysEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/keys',
  summary: 'List API keys, oldest first, never with their text.',
  task: 'accounts:read',
  query: {
    organization_id: 'Only keys of this organization.',
    project_id: 'Only keys of this project.',
    ...PAGE_QUERY,
  },
  answer: { description: 'A page of keys.', schema: createListSchema(keyShape) },
  handle: async ({ directory, query }) => {
    const page = readPage(query);
    const { organization_id: organizationId, project_id: projectId } = query;
    const keys = await directory.listKeys({
      ...(organizationId !== undefined && { organizationId }),
      ...(projectId !== undefined && { projectId }),
      ...page,
    });
    return encodeList(page, keys.map(encodeKey));
  },
});
