import { type PicoUsd, formatUsd } from '#base';
import type { RecurringLimit } from '../meters/recurring-limit.ts';

/** Such as 5/day; null without a limit. */
function formatRecurring(limit: RecurringLimit | null): string | null {
  return limit && `${formatUsd(limit.amount)}/${limit.period}`;
}

interface Limits {
  limit: PicoUsd | null;
  recurringLimit: RecurringLimit | null;
}

/** An all-time limit and one per period, in one cell. */
export function formatLimits(limits: Limits): string {
  const { limit, recurringLimit } = limits;
  const texts = [limit === null ? null : formatUsd(limit), formatRecurring(recurringLimit)];
  return texts.filter((text) => text !== null).join(', ') || '–';
}

/** The same in a sentence: may spend 25 USD in total and 5 USD per day; undefined without either. */
export function describeLimits({ limit, recurringLimit }: Limits): string | undefined {
  const texts = [
    ...(limit === null ? [] : [`${formatUsd(limit)} USD in total`]),
    ...(recurringLimit ? [`${formatUsd(recurringLimit.amount)} USD per ${recurringLimit.period}`] : []),
  ];
  return texts.length === 0 ? undefined : `may spend ${texts.join(' and ')}`;
}

/** A new credential with its secret. */
export const formatSecret = ({ secret, id }: { secret: string; id: string }): string[] => [
  secret,
  `${id}; this secret is not shown again`,
];
