import type { SessionRole } from './roles/session-role.ts';

/** The scopes of admin keys. `all` and `read` cover every area; writing includes reading. */
export const ADMIN_SCOPES = [
  'all',
  'read',
  'accounts:read',
  'accounts:write',
  'money:read',
  'money:write',
  'logs:read',
  'payloads:read',
  'audit:read',
  'operations:read',
  'operations:write',
  'admin_keys:read',
  'admin_keys:write',
] as const;

type AdminScope = (typeof ADMIN_SCOPES)[number];

/** The scope an endpoint requires: one area, read or written. */
export type RequiredScope = Exclude<AdminScope, 'all' | 'read'>;

/** The caller that an admin key or a session of the dashboard identifies. */
export interface AdminCaller {
  /** The id of the admin key or of the session; the audit log names it. */
  actorId: string;
  /** The admin key; of a session, the one it was made with, if any. */
  adminKeyId?: string;
  scopes: readonly string[];
  /** The one organization it can access; absent: all. */
  organizationId?: string;
  /** The one member whose keys and requests it can access; absent: all within its organization. */
  memberId?: string;
  /** The member who signed in or created the key: whatever this caller creates ends with that membership. */
  heldBy?: string;
  /** Who signed in by OpenID Connect, as the audit log names them, and with which role. */
  person?: string;
  /** When a session ends at the latest; milliseconds since the Unix epoch. */
  expiresAt?: number;
  role?: SessionRole;
}

/** Whether a key has a scope. */
export function hasScope(scopes: readonly string[], wanted: string): boolean {
  if (scopes.includes('all') || scopes.includes(wanted)) return true;
  const [area = '', verb] = wanted.split(':');
  return verb === 'read' && (scopes.includes('read') || scopes.includes(`${area}:write`));
}
