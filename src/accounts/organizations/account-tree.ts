import type { PicoUsd } from '#base';
import type { PlanTier } from '../plans/plan-terms.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Recurring } from '../ledger/recurring-usage.ts';
import type { RoutingChoice } from '../routing/routing-choice.ts';

/** The unit of billing. */
export interface Organization extends Recurring {
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
export interface Project extends Recurring {
  id: string;
  organizationId: string;
  organizationName: string;
  name: string;
  createdAt: number;
  cacheTtlSeconds?: number;
  /** How long it stores full requests and answers; absent if it does not. */
  payloadDays?: number;
  /** The fewest output tokens to which a nearly spent budget may shorten an answer; absent for the default. */
  minOutputTokens?: number;
  /** How its requests choose among providers. */
  routing: RoutingChoice;
  /** Whether another provider continues a stream that one has cut. */
  continue: boolean;
  /** Whether the gateway sets cache marks in requests without any. */
  cacheMarks: boolean;
  /** All that its keys ever used. */
  usage: PicoUsd;
  /** What all its keys may ever spend together; null if unlimited. */
  limit: PicoUsd | null;
}
