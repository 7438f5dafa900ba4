/** Numbers with more digits may not round-trip. */
const EXACT_DIGITS = 15;

/** A number as the shortest decimal that denotes it, without an exponent; undefined if it has more than 15 digits. */
export function writeDecimal(value: number): string | undefined {
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(value.toExponential());
  if (!match) return undefined;
  const [, sign = '', first = '', rest = '', exponent] = match;
  const digits = first + rest;
  if (digits.length > EXACT_DIGITS) return undefined;
  const place = Number(exponent) + 1;
  const whole = place > 0 ? digits.slice(0, place).padEnd(place, '0') : '0';
  const fraction = place > 0 ? digits.slice(place) : '0'.repeat(-place) + digits;
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}
