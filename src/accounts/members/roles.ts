export const MEMBER_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

/** What a member is in its organization. */
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** What a role is asked for: to call models, or to give session tokens to others. */
export type RoledAct = 'call' | 'mint';

const ALLOWED: Record<RoledAct, readonly MemberRole[]> = {
  call: ['owner', 'admin', 'member'],
  mint: ['owner', 'admin'],
};

/** Whether a caller's role lets it act; a key that belongs to no member has no role, and is not held back. */
export function isRoleAllowed({ role }: { role?: MemberRole }, act: RoledAct): boolean {
  return role === undefined || ALLOWED[act].includes(role);
}

/** Which roles may act. */
export function listRolesFor(act: RoledAct): readonly MemberRole[] {
  return ALLOWED[act];
}
