import type { MemberRole } from './roles.ts';

/** The roles of people who signed in. */
export const SESSION_ROLES = ['operator', 'admin', 'viewer', 'member'] as const;

export type SessionRole = (typeof SESSION_ROLES)[number];

/** The rights of a role: those of an admin key with these scopes and such a binding. */
interface Rights {
  scopes: readonly string[];
  /** The whole installation, one organization, or only what belongs to the member itself. */
  within: 'installation' | 'organization' | 'member';
}

/** The only list of rights. `money:write` is not here: an organization cannot grant itself credits. */
export const RIGHTS: Readonly<Record<SessionRole, Rights>> = {
  operator: { scopes: ['all'], within: 'installation' },
  admin: {
    scopes: ['accounts:write', 'money:read', 'logs:read', 'payloads:read', 'audit:read', 'admin_keys:write'],
    within: 'organization',
  },
  viewer: { scopes: ['accounts:read', 'money:read', 'logs:read'], within: 'organization' },
  member: { scopes: ['accounts:read', 'logs:read', 'payloads:read'], within: 'member' },
};

/** A member's role decides at each request, so that a change of it takes effect at once. */
export function toSessionRole(role: MemberRole): SessionRole {
  return role === 'owner' ? 'admin' : role;
}
