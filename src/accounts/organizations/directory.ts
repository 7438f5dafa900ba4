import type { PicoUsd } from '#base';
import type { AdminKeyBook } from '../admin-key.ts';
import type { AuditBook } from '../audit/audit-book.ts';
import type { Grant } from '../ledger/add-credits.ts';
import type { KeyBook } from '../keys/key-record.ts';
import type { MemberBook } from '../members/member-book.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { PlanBook } from '../plans/plan-book.ts';
import type { PlanTier } from '../plans/plan-terms.ts';
import type { RateLimitBook, RateLimits } from '../limits/rate-limits.ts';
import type { Page } from '../page.ts';
import type { RuleBook } from '../rules/rule-book.ts';
import type { ByokBook } from '../byok/byok-book.ts';

/** The unit of billing. */
export interface Organization {
  id: string;
  name: string;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
  /** All it ever used, of plans and of credits. */
  usage: PicoUsd;
  plan: PlanTier | 'none';
  /** Its remaining credits; absent while it is not metered. */
  balance?: PicoUsd;
  /** The rate limits of all its keys together. */
  rateLimits: RateLimits;
}

/** A part of an organization with its own keys and its own response cache. */
export interface Project {
  id: string;
  organizationId: string;
  name: string;
  createdAt: number;
  cacheTtlSeconds?: number;
  /** How long it stores full requests and answers; absent if it does not. */
  payloadDays?: number;
}

/** The account tree as the operator changes it. Changes reach every process at once. */
export interface Directory
  extends
    KeyBook,
    PlanBook,
    RuleBook,
    RateLimitBook,
    MemberBook,
    SessionBook,
    ByokBook,
    AdminKeyBook,
    AuditBook {
  createOrganization(name: string): Promise<Organization>;
  getOrganization(organizationId: string): Promise<Organization>;
  listOrganizations(page?: Page): Promise<Organization[]>;
  createProject(input: { organizationId: string; name: string }): Promise<Project>;
  getProject(projectId: string): Promise<Project>;
  listProjects(organizationId: string, page?: Page): Promise<Project[]>;
  /** How long a project caches answers, 10 s to 1 year; `null` turns it off. */
  setCacheTtl(input: { projectId: string; ttlSeconds: number | null }): Promise<void>;
  /** How long a project stores full requests and answers, 1 to 400 days; `null` turns it off. */
  setPayloadDays(input: { projectId: string; days: number | null }): Promise<void>;
  /** The first organization and project. */
  findDefault(): Promise<{ organizationId: string; projectId: string } | undefined>;
  /**
   * Adds credits, once per idempotency key. Before its first grant an organization is not metered; afterwards its
   * balance starts at the granted amount, from which requests in flight are paid too.
   */
  addCredits(grant: Grant): Promise<{ balance: PicoUsd }>;
}
