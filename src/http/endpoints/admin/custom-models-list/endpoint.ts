import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { createListSchema, encodeList } from '../../../admin/list.ts';
import { encodeCustomModel, customModelShape } from '../../../admin/byok-shape.ts';

export const listCustomModelsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/custom_models',
  summary: 'List the models of organizations’ own.',
  task: 'accounts:read',
  query: { organization_id: 'Only those of this organization.' },
  answer: { description: 'All of them.', schema: createListSchema(customModelShape) },
  handle: async ({ directory, query }) => {
    const { organization_id: organizationId } = query;
    const found = await directory.listCustomModels({
      ...(organizationId !== undefined && { organizationId }),
    });
    return encodeList({ limit: found.length + 1 }, found.map(encodeCustomModel));
  },
});
