import type { KeyRecord, RecurringLimit } from '#app';
import { formatUsd, systemClock } from '#base';
import { toJsonRateLimits } from '../terminal/rate-limits.ts';
import { formatTable, formatTime } from '../terminal/table.ts';

/** A key as commands print it. */
export function toJsonKey(key: KeyRecord) {
  const { id, organizationId, projectId, memberId = null, label, masked, disabled } = key;
  return {
    id,
    organizationId,
    projectId,
    memberId,
    label,
    masked,
    disabled,
    usage: formatUsd(key.usage),
    limit: key.limit === null ? null : formatUsd(key.limit),
    recurringLimit: formatRecurring(key.recurringLimit),
    rateLimits: toJsonRateLimits(key.rateLimits),
    createdAt: new Date(key.createdAt).toISOString(),
    expiresAt: toText(key.expiresAt),
    previousSecretExpiresAt: toText(key.previousSecretExpiresAt),
    lastUsedAt: toText(key.lastUsedAt),
  };
}

function toText(moment: number | undefined): string | null {
  return moment === undefined ? null : new Date(moment).toISOString();
}

/** Such as 5/day. */
export function formatRecurring(limit: RecurringLimit | null): string | null {
  return limit && `${formatUsd(limit.amount)}/${limit.period}`;
}

/** An all-time limit and one per period, side by side. */
export function formatLimits(limits: Pick<KeyRecord, 'limit' | 'recurringLimit'>): string {
  const { limit, recurringLimit } = limits;
  const texts = [limit === null ? null : formatUsd(limit), formatRecurring(recurringLimit)];
  return texts.filter((text) => text !== null).join(', ') || '–';
}

function describeState({ disabled, expiresAt = Infinity }: KeyRecord): string {
  if (disabled) return 'disabled';
  return expiresAt <= systemClock.now() ? 'expired' : 'enabled';
}

export function formatKeys(keys: readonly KeyRecord[]): string[] {
  if (keys.length === 0) return ['no keys'];
  return formatTable(
    ['id', 'key', 'label', 'member', 'used usd', 'limit usd', 'state', 'expires', 'last used'],
    keys.map((key) => [
      key.id,
      key.masked,
      key.label,
      key.memberId ?? '–',
      formatUsd(key.usage),
      formatLimits(key),
      describeState(key),
      formatTime(key.expiresAt),
      formatTime(key.lastUsedAt),
    ]),
  );
}
