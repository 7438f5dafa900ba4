export const MEMBER_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

/** The role of a member in its organization. */
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** Acts that require a role: calling models, and creating session tokens. */
export type RoledAct = 'call' | 'mint';

const ALLOWED: Record<RoledAct, readonly MemberRole[]> = {
  call: ['owner', 'admin', 'member'],
  mint: ['owner', 'admin'],
};

/** Whether a caller's role permits an act; a key without a member has no role and is not restricted. */
export function isRoleAllowed({ role }: { role?: MemberRole }, act: RoledAct): boolean {
  return role === undefined || ALLOWED[act].includes(role);
}

/** The roles that permit an act. */
export function listRolesFor(act: RoledAct): readonly MemberRole[] {
  return ALLOWED[act];
}
