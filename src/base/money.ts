/** An amount in pico-USD (1e-12 USD), the only unit money is kept in. Never a JavaScript number. */
export type PicoUsd = bigint;

const PICO_DIGITS = 12;
const ZERO = 0x30;
const DECIMAL = /^(-?)(\d{1,15})(?:\.(\d+))?$/;

/**
 * Parses a decimal string of USD ("3", "0.25") exactly; `undefined` if it is not an amount or finer than a pico-USD.
 */
export function parseUsd(text: string): PicoUsd | undefined {
  const match = DECIMAL.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > PICO_DIGITS) return undefined;
  const amount = BigInt(whole + digits.padEnd(PICO_DIGITS, '0'));
  return sign === '-' ? -amount : amount;
}

/** Exact decimal USD without padding or exponent: "25", "31.42", "0.000000000001". */
export function formatUsd(amount: PicoUsd): string {
  const negative = amount < 0n;
  const text = (negative ? -amount : amount).toString().padStart(PICO_DIGITS + 1, '0');
  const point = text.length - PICO_DIGITS;
  let end = text.length;
  while (end > point && text.charCodeAt(end - 1) === ZERO) end -= 1;
  const fraction = end === point ? '' : `.${text.slice(point, end)}`;
  return `${negative ? '-' : ''}${text.slice(0, point)}${fraction}`;
}

/** A price in USD per million units as pico-USD per unit: exact, because a millionth of a USD is 1e6 pico-USD. */
export function parsePricePerMillion(text: string): PicoUsd | undefined {
  const perMillion = parseUsd(text);
  if (perMillion === undefined || perMillion % 1_000_000n !== 0n) return undefined;
  return perMillion / 1_000_000n;
}
