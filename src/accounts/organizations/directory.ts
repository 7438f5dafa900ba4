import type { PicoUsd } from '#base';
import type { AdminKeyBook } from '../admin-key.ts';
import type { AuditBook } from '../audit/audit-book.ts';
import type { Grant } from '../ledger/add-credits.ts';
import type { PlanBook } from '../plans/plan-book.ts';
import type { PlanTier } from '../plans/plan-terms.ts';

export const PERIODS = ['hour', 'day', 'week', 'month'] as const;

/** A limit of a key per period, which opens with the first request that is billed. */
export interface RecurringLimit {
  amount: PicoUsd;
  period: (typeof PERIODS)[number];
}
import type { RateLimitBook, RateLimits } from '../limits/rate-limits.ts';
import type { Page } from '../page.ts';
import type { RuleBook } from '../rules/rule-book.ts';
import type { SupplyBook } from '../supply/supply-book.ts';

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
  /** How long it keeps requests and answers word for word; absent where it keeps none. */
  payloadDays?: number;
}

/** A key as it may be listed: never its text. */
export interface KeyRecord {
  id: string;
  organizationId: string;
  projectId: string;
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
  lastUsedAt?: number;
}

/** A new key with its text, which is shown this once. */
export interface NewKey {
  secret: string;
  key: KeyRecord;
}

/** The account tree as its operator changes it. Changes reach every process at once. */
export interface Directory extends PlanBook, RuleBook, RateLimitBook, SupplyBook, AdminKeyBook, AuditBook {
  createOrganization(name: string): Promise<Organization>;
  getOrganization(organizationId: string): Promise<Organization>;
  listOrganizations(page?: Page): Promise<Organization[]>;
  createProject(input: { organizationId: string; name: string }): Promise<Project>;
  getProject(projectId: string): Promise<Project>;
  listProjects(organizationId: string, page?: Page): Promise<Project[]>;
  /** How long a project keeps answers for replay, 10 s to 1 year; `null` turns it off. */
  setCacheTtl(input: { projectId: string; ttlSeconds: number | null }): Promise<void>;
  /** How long a project keeps requests and answers word for word, 1 to 400 days; `null` turns it off. */
  setPayloadDays(input: { projectId: string; days: number | null }): Promise<void>;
  /** The first organization and project. */
  findDefault(): Promise<{ organizationId: string; projectId: string } | undefined>;
  createKey(input: {
    projectId: string;
    label: string;
    limit?: PicoUsd;
    recurringLimit?: RecurringLimit;
    expiresAt?: number;
    rateLimits?: RateLimits;
  }): Promise<NewKey>;
  getKey(keyId: string): Promise<KeyRecord>;
  listKeys(filter: { organizationId?: string; projectId?: string } & Page): Promise<KeyRecord[]>;
  disableKey(keyId: string): Promise<void>;
  enableKey(keyId: string): Promise<void>;
  setKeyLimit(keyId: string, limit: PicoUsd | null): Promise<void>;
  /** What was used in the running period stays used. */
  setRecurringLimit(keyId: string, limit: RecurringLimit | null): Promise<void>;
  /**
   * Adds credits, once per idempotency key. Before its first grant an organization is not metered; with it, what is left is
   * the granted amount, from which requests in flight are paid too.
   */
  addCredits(grant: Grant): Promise<{ balance: PicoUsd }>;
}
