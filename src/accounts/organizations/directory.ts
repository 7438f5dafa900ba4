import type { PicoUsd } from '#base';
import type { Grant } from '../ledger/add-credits.ts';
import type { RecurringLimit } from '../ledger/recurring-limit.ts';
import type { MemberBook } from '../members/member-book.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { PlanBook } from '../plans/plan-book.ts';
import type { PlanTier } from '../plans/plan-terms.ts';

import type { RateLimitBook, RateLimits } from '../limits/rate-limits.ts';
import type { RuleBook } from '../rules/rule-book.ts';

/** Who shares one purse. */
export interface Organization {
  id: string;
  name: string;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
  /** All it ever used, of plans and of credits. */
  usage: PicoUsd;
  plan: PlanTier | 'none';
  /** What is left of its credits; absent while it is not metered. */
  balance?: PicoUsd;
  /** What all its keys together may do at most. */
  rateLimits: RateLimits;
}

/** A part of an organization with its own keys and its own answer cache. */
export interface Project {
  id: string;
  organizationId: string;
  name: string;
  createdAt: number;
  cacheTtlSeconds?: number;
}

/** A key as it may be listed: never its text. */
export interface KeyRecord {
  id: string;
  organizationId: string;
  projectId: string;
  /** The member it belongs to. */
  memberId?: string;
  label: string;
  /** `slc_…abcd` */
  masked: string;
  usage: PicoUsd;
  limit: PicoUsd | null;
  recurringLimit: RecurringLimit | null;
  /** The key's own; those of its organization apply beside them. */
  rateLimits: RateLimits;
  disabled: boolean;
  createdAt: number;
  expiresAt?: number;
  /** Until when the secret before the present one opens too; absent where it does not. */
  previousSecretExpiresAt?: number;
  lastUsedAt?: number;
}

/** A new key with its text, which is shown this once. */
export interface NewKey {
  secret: string;
  key: KeyRecord;
}

/** The account tree as its operator changes it. Changes reach every process at once. */
export interface Directory extends PlanBook, RuleBook, RateLimitBook, MemberBook, SessionBook {
  createOrganization(name: string): Promise<Organization>;
  listOrganizations(): Promise<Organization[]>;
  createProject(input: { organizationId: string; name: string }): Promise<Project>;
  listProjects(organizationId: string): Promise<Project[]>;
  /** How long a project keeps answers for replay, 10 s to 1 year; `null` turns it off. */
  setCacheTtl(input: { projectId: string; ttlSeconds: number | null }): Promise<void>;
  /** The first organization and project. */
  findDefault(): Promise<{ organizationId: string; projectId: string } | undefined>;
  createKey(input: {
    projectId: string;
    label: string;
    limit?: PicoUsd;
    recurringLimit?: RecurringLimit;
    expiresAt?: number;
    rateLimits?: RateLimits;
    /** A member of the project's organization; a key never changes hands. */
    memberId?: string;
  }): Promise<NewKey>;
  createAdminKey(input: { label: string }): Promise<{ secret: string; id: string }>;
  listKeys(filter: { organizationId?: string; projectId?: string; memberId?: string }): Promise<KeyRecord[]>;
  disableKey(keyId: string): Promise<void>;
  enableKey(keyId: string): Promise<void>;
  /** For good: it opens nothing any more and is listed no more; what it used stays in the books. */
  deleteKey(keyId: string): Promise<void>;
  /** When it ends; `null`: never. */
  setKeyExpiry(keyId: string, expiresAt: number | null): Promise<KeyRecord>;
  /**
   * A new secret for the same key. The present one opens for the grace (0: not at all), and the one before it, if there still
   * is one, no longer: two secrets at most.
   */
  rotateKey(keyId: string, input: { graceMs: number }): Promise<NewKey>;
  setKeyLimit(keyId: string, limit: PicoUsd | null): Promise<void>;
  /** What was used in the running period stays used. */
  setRecurringLimit(keyId: string, limit: RecurringLimit | null): Promise<void>;
  /**
   * Adds credits, once per idempotency key. Before its first grant an organization is not metered; with it, what is left is
   * the granted amount, from which requests in flight are paid too.
   */
  addCredits(grant: Grant): Promise<{ balance: PicoUsd }>;
}
