import type { RecurringLimit } from '#app';
import type { PicoUsd } from '#base';
import { PERIODS } from '#app';
import { parseUsd } from '#base';
import { InvalidArgumentError } from 'commander';

/** Parses an amount in USD. */
export function readAmount(text: string): PicoUsd {
  const amount = parseUsd(text.replace(/^\$/, ''));
  if (amount === undefined || amount < 0n) {
    throw new InvalidArgumentError(
      'Write it as a decimal amount of USD, such as 25 or 0.50; at most 15 digits before the point and 12 behind it.',
    );
  }
  return amount;
}

/** Parses an amount in USD of at least `least`. */
export function readAmountFrom(least: PicoUsd): (text: string) => PicoUsd {
  return (text) => {
    const amount = readAmount(text);
    if (amount >= least) return amount;
    throw new InvalidArgumentError('Write a positive amount of USD, such as 25 or 0.50.');
  };
}

/** Parses a limit per period, such as 5/day. */
export function readRecurringLimit(text: string): RecurringLimit {
  const [amount = '', word = '', ...rest] = text.split('/');
  const period = PERIODS.find((name) => name === word);
  if (period === undefined || rest.length > 0) {
    throw new InvalidArgumentError(`Write it as USD/${PERIODS.join(', USD/')}, such as 5/day.`);
  }
  return { amount: readAmount(amount), period };
}

/** Whether it is an amount per period. */
export const isPerPeriod = (text: string): boolean => PERIODS.some((period) => text.endsWith(`/${period}`));

/** Parses a whole number within bounds. */
export function readWhole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  };
}
