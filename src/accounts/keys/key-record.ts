import type { PicoUsd } from '#base';
import type { RecurringLimit } from '../ledger/recurring-limit.ts';
import type { RateLimitChange, RateLimits } from '../limits/rate-limits.ts';
import type { RoutingChange, RoutingChoice } from '../routing/routing-choice.ts';
import type { Page } from '../page.ts';

/** A key as listed, without its text. */
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
  /** The key's own; its organization's apply as well. */
  rateLimits: RateLimits;
  /** The key's own; its project's applies as well. */
  routing: RoutingChoice;
  disabled: boolean;
  createdAt: number;
  expiresAt?: number;
  /** Until when the previous secret is valid too; absent if it is not. */
  previousSecretExpiresAt?: number;
  lastUsedAt?: number;
}

/** A new key with its text, which is only shown here. */
export interface NewKey {
  secret: string;
  key: KeyRecord;
}

/** What changes of a key; `null` for no limit and no end. */
export interface KeyChanges {
  label?: string;
  disabled?: boolean;
  limit?: PicoUsd | null;
  recurringLimit?: RecurringLimit | null;
  rateLimits?: RateLimitChange;
  routing?: RoutingChange;
  expiresAt?: number | null;
}

/** Keys as the operator changes them. */
export interface KeyStore {
  createKey(input: {
    projectId: string;
    label: string;
    limit?: PicoUsd;
    recurringLimit?: RecurringLimit;
    expiresAt?: number;
    rateLimits?: RateLimits;
    /** A member of the project's organization; it never changes. */
    memberId?: string;
  }): Promise<NewKey>;
  getKey(keyId: string): Promise<KeyRecord>;
  listKeys(
    filter: { organizationId?: string; projectId?: string; memberId?: string } & Page,
  ): Promise<KeyRecord[]>;
  /** All changes or none; usage in the current period is kept. */
  updateKey(keyId: string, changes: KeyChanges): Promise<KeyRecord>;
  /** Permanent: the key is no longer valid nor listed; its usage is kept. */
  deleteKey(keyId: string): Promise<void>;
  /**
   * A new secret for the same key. The present one stays valid for the grace period (0: not at all), an earlier one
   * does not: two secrets at most.
   */
  rotateKey(keyId: string, input: { graceMs: number }): Promise<NewKey>;
}
