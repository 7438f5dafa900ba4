import { type PicoUsd, formatUsd } from '#base';
import type { RecurringLimit } from '../ledger/recurring-limit.ts';

/** Such as 5/day; null without a limit. */
export function formatRecurring(limit: RecurringLimit | null): string | null {
  return limit && `${formatUsd(limit.amount)}/${limit.period}`;
}

/** An all-time limit and one per period, in one cell. */
export function formatLimits(limits: {
  limit: PicoUsd | null;
  recurringLimit: RecurringLimit | null;
}): string {
  const { limit, recurringLimit } = limits;
  const texts = [limit === null ? null : formatUsd(limit), formatRecurring(recurringLimit)];
  return texts.filter((text) => text !== null).join(', ') || '–';
}

/** A new credential with its secret. */
export const formatSecret = ({ secret, id }: { secret: string; id: string }): string[] => [
  secret,
  `${id}; this secret is not shown again`,
];
