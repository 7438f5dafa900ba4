import type { AdminCaller } from '#accounts';
import { type JsonObject, encodeTime } from '#base';
import type { Issuer } from '../issuer.ts';
import { SESSION_ROLES } from '#accounts';
import { Type } from 'typebox';
import { orNull, timeShape } from '../admin/fields.ts';
import { describeSignIn } from '../sign-in/redirect-url.ts';

/** What the session of a browser may do. */
export const rightsShape = Type.Object(
  {
    object: Type.Literal('session'),
    id: orNull(Type.String(), 'Its id, which the audit log names; null if the browser is not signed in.'),
    scopes: Type.Array(Type.String()),
    organization_id: orNull(Type.String(), 'The only organization it can access; null for all.'),
    member_id: orNull(
      Type.String(),
      'The only member whose keys and requests it can access; null for all of the organization.',
    ),
    person: orNull(Type.String(), 'Who signed in by OpenID Connect.'),
    role: orNull(Type.Enum([...SESSION_ROLES]), 'Their role; null for a session by a link or an admin key.'),
    expires_at: orNull(timeShape, 'When it ends at the latest.'),
    sign_in: orNull(
      Type.Object({
        name: Type.String({ description: 'The OpenID provider.' }),
        url: Type.String({ description: 'Where the way to it begins, relative to `/dashboard/`.' }),
      }),
      'How people sign in by OpenID Connect; null without `auth.oidc`.',
    ),
  },
  { title: 'Session' },
);

/** The rights of a browser's session; without one, only the way in. */
export function encodeRights(caller: AdminCaller | undefined, issuer: Issuer | undefined): JsonObject {
  const { actorId, scopes = [], organizationId, memberId, person, role, expiresAt } = caller ?? {};
  return {
    object: 'session',
    id: actorId ?? null,
    scopes: [...scopes],
    organization_id: organizationId ?? null,
    member_id: memberId ?? null,
    person: person ?? null,
    role: person === undefined ? null : (role ?? null), // a link may have less
    expires_at: encodeTime(expiresAt),
    sign_in: describeSignIn(issuer),
  };
}
