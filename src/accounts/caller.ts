import type { RateLimit } from './limits/rate-limits.ts';
import type { MemberRole } from './members/roles.ts';
import type { AccessRule } from './rules/rule.ts';
import type { Byok } from './byok/byok.ts';

/** Whose request it is, as the key or session token tells. */
export interface Caller {
  keyId: string;
  keyLabel: string;
  organizationId: string;
  projectId: string;
  /** The member the key belongs to, and its role; absent where it belongs to none. */
  memberId?: string;
  role?: MemberRole;
  /** The session token that calls in the name of the key, and for whom the application made it. */
  sessionTokenId?: string;
  endUserId?: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt?: number;
  /** How long the project keeps answers for replay; absent where it keeps none. */
  cacheTtlSeconds?: number;
  /** How many days the project keeps requests and answers word for word; absent where it keeps none. */
  payloadDays?: number;
  /** What the key and its organization may do at most; absent where neither is limited. */
  limits?: readonly RateLimit[];
  /** The access rules of its organization, project, key and session token; absent where there are none. */
  rules?: readonly AccessRule[];
  /** What its organization brought along; absent where that is nothing. */
  byok?: Byok;
}

/**
 * Who holds a session token, apart from all others who call for its project: the end user it was made for, else the token
 * itself. Absent for keys. Session tokens are in the hands of strangers to one another.
 */
export function holderOf({
  sessionTokenId,
  endUserId,
}: Pick<Caller, 'sessionTokenId' | 'endUserId'>): string | undefined {
  return sessionTokenId !== undefined && endUserId !== undefined ? `user/${endUserId}` : sessionTokenId;
}
