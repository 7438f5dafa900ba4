import { AMOUNT, nullableInput, nullableOutput, optional, time, type OutputType, usd } from '#fields';
import { Type } from 'typebox';
import type { RecurringUsage } from '../meters/recurring-usage.ts';
import { recurringLimit } from './types.ts';

const usageOfPeriod: OutputType<RecurringUsage> = {
  valueKind: 'text',
  answer: Type.Object({ used: usd.answer, resets_at: time.answer }),
  encode: ({ used, resetsAt }) => ({ used: usd.encode(used), resets_at: time.encode(resetsAt) }),
};

/** In responses: a limit per period, and its usage. */
export const recurringFields = {
  recurringLimit: nullableOutput(recurringLimit),
  recurringUsage: nullableOutput(usageOfPeriod, 'Usage in the current period; null if none has begun.'),
};

const orNoLimit = nullableInput(usd, `${AMOUNT}, or null for no limit`);
const orNoRecurring = nullableInput(recurringLimit, 'an object of amount and period, or null for no limit');

/** What all keys of something new may spend together; `formerly` is an earlier name of `--limit`. */
export const sharedLimitInputs = (formerly?: `--${string}`) => ({
  limit: optional(orNoLimit, {
    flags: '--limit <usd>',
    help: 'the all-time limit of all its keys together',
    perPeriod: '--recurring',
    ...(formerly !== undefined && { formerly }),
  }),
  recurringLimit: optional(orNoRecurring, {
    flags: '--recurring <usd/period>',
    help: 'their limit per hour, day, week or month',
  }),
});

/** A change of an all-time limit. */
export const limitInput = optional(orNoLimit, {
  flags: '<usd>',
  help: 'an amount of USD, or none',
  perPeriod: 'recurring',
});

/** A change of a limit per period. */
export const recurringLimitInput = optional(orNoRecurring, {
  flags: '<usd/period>',
  help: 'an amount of USD per period, or none',
});
