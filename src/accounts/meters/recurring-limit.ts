import { createInvalid } from '#errors';
import type { PicoUsd } from '#base';
import { readAmount } from '../read-input.ts';

export const PERIODS = ['hour', 'day', 'week', 'month'] as const;

/** A limit per period, which starts with the first billed request. */
export interface RecurringLimit {
  amount: PicoUsd;
  period: (typeof PERIODS)[number];
}

/** Validates a recurring limit. */
export function readRecurringLimit({ amount, period }: RecurringLimit): RecurringLimit {
  if (!PERIODS.includes(period)) throw createInvalid('period', `one of ${PERIODS.join(', ')}`);
  return { amount: readAmount('recurringLimit', amount, 0n), period };
}
