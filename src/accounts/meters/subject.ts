/**
 * `key`: the all-time limit of a key. `recurring`: its limit per period. `credits`, `plan`: the balance of an
 * organization. `premium`: the share of a plan for premium models per week. `member`, `member_recurring`: the budget of a
 * member over all its keys, all-time and per period. `session`: the budget of a session token. `project`: the all-time
 * limit of all keys of a project. `project_recurring`, `organization_recurring`: the limit per period of all keys of a
 * project or an organization.
 */
export type MeterKind =
  | 'key'
  | 'recurring'
  | 'credits'
  | 'plan'
  | 'premium'
  | MemberMeter
  | 'session'
  | SharedMeter;
type MemberMeter = 'member' | 'member_recurring';
export type SharedMeter = 'project' | 'project_recurring' | 'organization_recurring';

/** Whose money a request uses. */
export interface Subject {
  keyId: string;
  projectId: string;
  organizationId: string;
  memberId?: string | undefined;
  sessionTokenId?: string | undefined;
  /** Whether it may draw on the premium allowance. */
  premium: boolean;
}

export function toSubject(whose: Omit<Subject, 'premium'>, premium = false): Subject {
  const { keyId, projectId, organizationId, memberId, sessionTokenId } = whose;
  return { keyId, projectId, organizationId, memberId, sessionTokenId, premium };
}

/** The names of the money that a subject uses. Those of a premium allowance have their own: standard requests need none. */
export function namesOf({
  keyId,
  projectId,
  organizationId,
  memberId,
  sessionTokenId,
  premium,
}: Subject): readonly string[] {
  const names = [`key ${keyId}`, `project ${projectId}`, `organization ${organizationId}`];
  if (premium) names.push(`premium ${organizationId}`);
  if (memberId !== undefined) names.push(`member ${memberId}`);
  if (sessionTokenId !== undefined) names.push(`session ${sessionTokenId}`);
  return names;
}

type Owner = 'key' | 'project' | 'organization' | 'member' | 'session' | 'premium';

const OWNERS: Readonly<Record<MeterKind, Owner>> = {
  key: 'key',
  recurring: 'key',
  credits: 'organization',
  plan: 'organization',
  premium: 'premium',
  member: 'member',
  member_recurring: 'member',
  session: 'session',
  project: 'project',
  project_recurring: 'project',
  organization_recurring: 'organization',
};

/** The money that a meter of a subject counts. */
export const nameOf = (subject: Omit<Subject, 'premium'>, kind: MeterKind): string =>
  `${OWNERS[kind]} ${findMeterOwner(subject, kind)}`;

/** The id of a meter's owner. */
export function findMeterOwner(subject: Omit<Subject, 'premium'>, kind: MeterKind): string | undefined {
  switch (OWNERS[kind]) {
    case 'key':
      return subject.keyId;
    case 'project':
      return subject.projectId;
    case 'member':
      return subject.memberId;
    case 'session':
      return subject.sessionTokenId;
    case 'premium':
    case 'organization':
      return subject.organizationId;
  }
}
