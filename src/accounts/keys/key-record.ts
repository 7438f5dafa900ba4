import type { PicoUsd } from '#base';
import type { RecurringLimit } from '../meters/recurring-limit.ts';
import type { RateLimitChange, RateLimits } from '../limits/rate-limits.ts';
import type { RoutingChange } from '../routing/routing-choice.ts';
import type { Page } from '../page.ts';
import type { KeyRecord } from './read-key-records.ts';

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
