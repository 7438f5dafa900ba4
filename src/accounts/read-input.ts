import type { PicoUsd } from '#base';
import { LAST_MOMENT } from '#base';
import { GatewayError, createInvalid } from '#errors';

const LONGEST_NAME = 200;
/** 1e15 USD, which `numeric(38, 0)` can hold. */
const MOST_PICO_USD = 10n ** 27n;

/** Validates a name or label to be stored and shown. */
export function readName(what: string, text: string): string {
  const name = text.trim();
  if (name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw createInvalid(what, `1 to ${LONGEST_NAME} characters without control characters`);
  }
  return name;
}

export function readAmount(what: string, amount: PicoUsd, least: PicoUsd): PicoUsd {
  if (amount < least || amount > MOST_PICO_USD) throw createInvalid(what, 'a positive amount of USD');
  return amount;
}

/** Validates an expiry in the years 0 to 9999, which every date format can express. */
export function readExpiry(moment: number): number {
  if (!(moment >= Date.UTC(-1, 12) && moment <= LAST_MOMENT))
    throw createInvalid('expiresAt', 'a moment before the year 10000');
  return moment;
}

export function createNotFound(what: string): GatewayError {
  return new GatewayError('not_found', `there is no such ${what}`, { missing: what });
}
