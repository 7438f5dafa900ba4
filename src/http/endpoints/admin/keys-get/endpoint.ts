import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { encodeKey, keyShape } from '../../../admin/key-shape.ts';

export const getKeyEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/keys/{id}',
  summary: 'An API key, never with its text.',
  task: 'accounts:read',
  answer: { description: 'The key.', schema: keyShape },
  handle: async ({ directory, id }) => encodeKey(await directory.getKey(id)),
});
