import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { createListSchema, encodeList } from '../../../admin/list.ts';
import { encodeCustomProvider, customProviderShape } from '../../../admin/byok-shape.ts';

export const listCustomProvidersEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/custom_providers',
  summary: 'List the providers of organizations’ own.',
  task: 'accounts:read',
  query: { organization_id: 'Only those of this organization.' },
  answer: { description: 'All of them.', schema: createListSchema(customProviderShape) },
  handle: async ({ directory, query }) => {
    const { organization_id: organizationId } = query;
    const found = await directory.listCustomProviders({
      ...(organizationId !== undefined && { organizationId }),
    });
    return encodeList({ limit: found.length + 1 }, found.map(encodeCustomProvider));
  },
});
