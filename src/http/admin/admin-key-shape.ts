import type { AdminKeyRecord } from '#accounts';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { ADMIN_SCOPES } from '#accounts';
import { encodeTime, orNull, timeShape } from './fields.ts';

export const adminKeyShape = Type.Object({
  object: Type.Literal('admin_key'),
  id: Type.String(),
  label: Type.String(),
  masked: Type.String({ description: '`slcadm_…abcd`' }),
  scopes: Type.Array(Type.Enum([...ADMIN_SCOPES])),
  organization_id: orNull(Type.String(), 'The one organization it sees; null: all.'),
  disabled: Type.Boolean(),
  created_at: timeShape,
});

export function encodeAdminKey(key: AdminKeyRecord): JsonObject {
  const { id, label, masked, scopes, organizationId, disabled, createdAt } = key;
  return {
    object: 'admin_key',
    id,
    label,
    masked,
    scopes: [...scopes],
    organization_id: organizationId ?? null,
    disabled,
    created_at: encodeTime(createdAt),
  };
}
