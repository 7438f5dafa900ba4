import type { JsonObject, JsonValue, PicoUsd } from '#base';
import type { Amounts, Measure } from './measures.ts';
import { ReportFault } from './report-line.ts';

const AMOUNT = /^(-?)(\d{1,15})(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i;
const PICO_DIGITS = 12;

/** An amount of USD, or of its hundredths with `shift` 2; rounded to a pico-USD, because providers report binary fractions. */
export function readUsd(value: unknown, shift = 0): PicoUsd | undefined {
  const match = AMOUNT.exec(
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '',
  );
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction);
  const scale = PICO_DIGITS - fraction.length + Number(exponent) - shift;
  const divisor = 10n ** BigInt(Math.max(0, -scale));
  const amount = (digits * 10n ** BigInt(Math.max(0, scale)) + divisor / 2n) / divisor;
  return sign === '-' ? -amount : amount;
}

/** A count that is a whole number ≥ 0. */
export function readCount(value: unknown): bigint | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
}

export const isUsd = (currency: JsonValue): boolean =>
  typeof currency === 'string' && currency.toUpperCase() === 'USD';

/** The counts that are present; throws ReportFault if one is invalid, or if there is none. */
export function readCounts(counts: readonly [Measure, unknown][], place: string): Amounts {
  const amounts: Amounts = {};
  for (const [name, value] of counts) {
    if (value === undefined || value === null) continue;
    const count = readCount(value);
    if (count === undefined) throw new ReportFault(place, `its number of ${name} is not a whole number`);
    amounts[name] = count;
  }
  if (amounts.output === undefined) throw new ReportFault(place, 'has no usage and no amount');
  return amounts;
}

/** Members that are no values, as text. */
export function readFacts(members: JsonObject, values: ReadonlySet<string>): Record<string, string> {
  const facts: Record<string, string> = {};
  for (const [name, value] of Object.entries(members)) {
    if (values.has(name) || name === 'model' || value === null || value === undefined) continue;
    facts[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return facts;
}
