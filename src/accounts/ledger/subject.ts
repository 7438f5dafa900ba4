/**
 * `key`: the all-time limit of a key. `recurring`: its limit per period. `credits`, `plan`: the balance of an
 * organization. `premium`: what premium models may use of a plan per week. `member`, `member_recurring`: the budget
 * of a member over all its keys, all-time and per period. `session`: the budget of a session token.
 */
export type MeterKind = 'key' | 'recurring' | 'credits' | 'plan' | 'premium' | MemberMeter | 'session';
type MemberMeter = 'member' | 'member_recurring';

/** Whose money a request uses. */
export interface Subject {
  keyId: string;
  organizationId: string;
  memberId?: string | undefined;
  sessionTokenId?: string | undefined;
  /** Whether it may draw on the premium allowance. */
  premium: boolean;
}

export function toSubject(whose: Omit<Subject, 'premium'>, premium = false): Subject {
  const { keyId, organizationId, memberId, sessionTokenId } = whose;
  return { keyId, organizationId, memberId, sessionTokenId, premium };
}

/** The names of the money that a subject uses. Those of a premium allowance have their own: standard requests need none. */
export function namesOf({
  keyId,
  organizationId,
  memberId,
  sessionTokenId,
  premium,
}: Subject): readonly string[] {
  const names = [`key ${keyId}`, `organization ${organizationId}`];
  if (premium) names.push(`premium ${organizationId}`);
  if (memberId !== undefined) names.push(`member ${memberId}`);
  if (sessionTokenId !== undefined) names.push(`session ${sessionTokenId}`);
  return names;
}

/** The money that a meter of a subject counts. */
export function nameOf(subject: Omit<Subject, 'premium'>, kind: MeterKind): string {
  switch (kind) {
    case 'key':
    case 'recurring':
      return `key ${subject.keyId}`;
    case 'member':
    case 'member_recurring':
      return `member ${subject.memberId}`;
    case 'session':
      return `session ${subject.sessionTokenId}`;
    case 'premium':
      return `premium ${subject.organizationId}`;
    case 'credits':
    case 'plan':
      return `organization ${subject.organizationId}`;
  }
}
