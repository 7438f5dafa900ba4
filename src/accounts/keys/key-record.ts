import type { PicoUsd } from '#base';
import type { RecurringLimit } from '../ledger/recurring-limit.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Page } from '../page.ts';

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

/** The keys as their operator changes them. */
export interface KeyBook {
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
  getKey(keyId: string): Promise<KeyRecord>;
  listKeys(
    filter: { organizationId?: string; projectId?: string; memberId?: string } & Page,
  ): Promise<KeyRecord[]>;
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
}
