import { type JsonValue, isJsonObject } from '#base';

/** Members that hold a count, in any format. */
const COUNT = /(?:tokens?|token_?count|searches|search_queries|search_units|_requests)$/i;
/** No answer uses more; a garbled count must not empty an account. */
const MOST_COUNT = 100_000_000;
const MOST_DEPTH = 6;

/**
 * Whether an upstream's reported usage is plausible: every count is a whole number within bounds. One negative,
 * fractional, absurdly large or non-numeric count discredits all of them.
 */
export function isBelievable(reported: JsonValue | undefined, depth = 0): boolean {
  if (Array.isArray(reported))
    return depth < MOST_DEPTH && reported.every((item) => isBelievable(item, depth + 1));
  if (!isJsonObject(reported)) return true;
  if (depth >= MOST_DEPTH) return false;
  for (const name in reported) if (!isMemberBelievable(name, reported[name], depth)) return false;
  return true;
}

function isMemberBelievable(name: string, value: JsonValue | undefined, depth: number): boolean {
  if (value === null || value === undefined) return true;
  // An integer that no double can hold is parsed as an object with its digits.
  if (typeof value === 'object')
    return 'rawJSON' in value ? !COUNT.test(name) : isBelievable(value, depth + 1);
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_COUNT;
  return isCount || !COUNT.test(name);
}
