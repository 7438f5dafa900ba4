import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { createListSchema, encodeList } from '../../../admin/list.ts';
import { encodeProviderKey, providerKeyShape } from '../../../admin/byok-shape.ts';

export const listProviderKeysEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/provider_keys',
  summary: 'List the provider keys that organizations brought, never with their text.',
  task: 'accounts:read',
  query: { organization_id: 'Only those of this organization.' },
  answer: { description: 'All of them.', schema: createListSchema(providerKeyShape) },
  handle: async ({ directory, query }) => {
    const { organization_id: organizationId } = query;
    const found = await directory.listProviderKeys({
      ...(organizationId !== undefined && { organizationId }),
    });
    return encodeList({ limit: found.length + 1 }, found.map(encodeProviderKey));
  },
});
