import type { RateLimit } from './limits/rate-limits.ts';
import type { MemberRole } from './roles/roles.ts';
import type { RoutingPreferences } from './routing/routing-choice.ts';
import type { AccessRule } from './rules/rule.ts';
import type { Byok } from './byok/byok.ts';

/** The caller that a key or session token identifies. */
export interface Caller {
  keyId: string;
  keyLabel: string;
  organizationId: string;
  projectId: string;
  /** The member the key belongs to, and its role; absent if it belongs to none. */
  memberId?: string;
  role?: MemberRole;
  /** The session token that calls on behalf of the key, and the end user it was created for. */
  sessionTokenId?: string;
  endUserId?: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt?: number;
  /** How long the project caches answers; absent if it does not. */
  cacheTtlSeconds?: number;
  /** How many days the project stores full requests and answers; absent if it does not. */
  payloadDays?: number;
  /** The fewest output tokens to which a nearly spent budget may shorten an answer; absent for the default. */
  minOutputTokens?: number;
  /** Another provider continues a stream that one has cut. */
  continue?: true;
  /** The gateway sets cache marks in requests without any. */
  cacheMarks?: true;
  /** The rate limits of the key and its organization; absent if neither is limited. */
  limits?: readonly RateLimit[];
  /**
   * The access rules of its organization, project, key and session token, and the exclusions of the routing of project
   * and key; absent if there are none.
   */
  rules?: readonly AccessRule[];
  /** The order of providers that its project and key want; absent if they want none. */
  routing?: RoutingPreferences;
  /** Its organization's own keys, providers and models; absent if it has none. */
  byok?: Byok;
}

/**
 * Separates the holders of session tokens of one project, who must not see each other's objects: the end user the token
 * was created for, otherwise the token itself. Absent for keys.
 */
export function holderOf({
  sessionTokenId,
  endUserId,
}: Pick<Caller, 'sessionTokenId' | 'endUserId'>): string | undefined {
  return sessionTokenId !== undefined && endUserId !== undefined ? `user/${endUserId}` : sessionTokenId;
}
