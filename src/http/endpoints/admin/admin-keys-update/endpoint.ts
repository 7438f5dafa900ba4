import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { adminKeyShape, encodeAdminKey } from '../../../admin/admin-key-shape.ts';
import { closed } from '../../../admin/fields.ts';

export const updateAdminKeyEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/admin_keys/{id}',
  summary: 'Disable or enable an admin key.',
  task: 'admin_keys:write',
  body: closed({
    disabled: Type.Boolean({ description: 'true to disable the key at once, false to enable it' }),
  }),
  answer: { description: 'The admin key as it is now.', schema: adminKeyShape },
  handle: async ({ directory, id, body }) =>
    encodeAdminKey(await directory.setAdminKeyDisabled(id, body.disabled)),
});
