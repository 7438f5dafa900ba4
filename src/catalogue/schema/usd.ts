import { type PicoUsd, parseUsd } from '#base';
import { Type } from 'typebox';

/** A price per unit. */
export const usdSchema = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,12})?$', description: 'USD per unit.' });

/** Parses an amount of a data file. Throws RangeError that begins with where it is written. */
export function readUsd(where: string, text: string): PicoUsd {
  const amount = parseUsd(text);
  if (amount === undefined || amount < 0n) throw new RangeError(`${where}: "${text}" is not a price in USD`);
  return amount;
}
