import { Type } from 'typebox';
import { ADMIN_SCOPES } from '#accounts';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { adminKeyShape, encodeAdminKey } from '../../../admin/admin-key-shape.ts';
import { closed, idField, nameField, stringsField } from '../../../admin/fields.ts';

export const createAdminKeyEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/admin_keys',
  summary:
    'Make an admin key with at most the scopes and the organization of the calling one; its text (`secret`) is shown in this answer and never again.',
  task: 'admin_keys:write',
  body: closed({
    label: nameField,
    scopes: Type.Optional(stringsField(`an array of ${ADMIN_SCOPES.join(', ')}`)),
    organization_id: Type.Optional(idField('the one organization it is to see')),
  }),
  answer: {
    description: 'The admin key with its text.',
    schema: Type.Object({ secret: Type.String(), ...adminKeyShape.properties }),
  },
  canMiss: true,
  handle: async ({ directory, body: { label, scopes, organization_id: organizationId } }) => {
    const { secret, key } = await directory.createAdminKey({
      label,
      ...(scopes && { scopes }),
      ...(organizationId !== undefined && { organizationId }),
    });
    return { secret, ...encodeAdminKey(key) };
  },
});
