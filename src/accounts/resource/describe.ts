import { type PicoUsd, formatUsd } from '#base';
import type { RecurringLimit } from '../ledger/recurring-limit.ts';

/** Such as 5/day; nothing where there is no such limit. */
export function formatRecurring(limit: RecurringLimit | null): string | null {
  return limit && `${formatUsd(limit.amount)}/${limit.period}`;
}

/** An all-time limit and one per period, side by side. */
export function formatLimits(limits: {
  limit: PicoUsd | null;
  recurringLimit: RecurringLimit | null;
}): string {
  const { limit, recurringLimit } = limits;
  const texts = [limit === null ? null : formatUsd(limit), formatRecurring(recurringLimit)];
  return texts.filter((text) => text !== null).join(', ') || '–';
}

/** What is shown of a new credential. */
export const sayOnce = ({ secret, id }: { secret: string; id: string }): string[] => [
  secret,
  `${id}, shown only this once`,
];
