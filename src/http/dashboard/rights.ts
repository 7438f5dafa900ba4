import type { AdminCaller } from '#accounts';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { orNull } from '../admin/fields.ts';

/** What the session of a browser may do. */
export const rightsShape = Type.Object(
  {
    object: Type.Literal('session'),
    id: orNull(Type.String(), 'Its id, which the audit log names; null if the browser is not signed in.'),
    scopes: Type.Array(Type.String()),
    organization_id: orNull(Type.String(), 'The only organization it can access; null for all.'),
  },
  { title: 'Session' },
);

export const NOT_SIGNED_IN: JsonObject = { object: 'session', id: null, scopes: [], organization_id: null };

export function encodeRights({ actorId, scopes, organizationId }: AdminCaller): JsonObject {
  return { object: 'session', id: actorId, scopes: [...scopes], organization_id: organizationId ?? null };
}
