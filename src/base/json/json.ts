export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses text to a value; `undefined` if it is not JSON (which has no `undefined`). */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Parses text that must hold an object; `undefined` for anything else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** Parts of `JSON` missing from its types: the source text of a number, and raw values. */
const WORDED = JSON as unknown as {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};
/**
 * Sixteen digits at the start of a number. The fractions of log probabilities are as long, but do not need exact
 * parsing.
 */
const LONG_NUMBER = /[[,:\s]-?\d{16}/;
/** Searched first, because the search above stops at every space of a text. */
const LONG_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * The same for values that are only serialized again, such as tool call arguments: integers that no double can hold
 * keep their digits, as objects that only `JSON.stringify` can read.
 */
export function parseExact(text: string): JsonValue | undefined {
  if (!LONG_DIGITS.test(text) || !LONG_NUMBER.test(text)) return parseJson(text);
  try {
    return WORDED.parse(text, (_key, inner, { source = '' }) =>
      typeof inner === 'number' && !Number.isSafeInteger(inner) && INTEGER.test(source)
        ? WORDED.rawJSON(source)
        : inner,
    ) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Whether a value is a number kept as its source text. */
export function isRawNumber(value: unknown): boolean {
  return WORDED.isRawJSON(value);
}

export function parseExactObject(text: string): JsonObject | undefined {
  const value = parseExact(text);
  return isJsonObject(value) ? value : undefined;
}

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** After an escaped quote the next one is often near, where a loop is faster than a native search. */
const LOOK_AHEAD = 64;

/**
 * The closing quote of the string that begins at `start`. If it is far away, returns a position at or after `until`
 * that is not a quote; continue by passing the position before it as the next start.
 */
export function findStringEnd(bytes: Buffer, start: number, until = Infinity): number {
  let at = start + 1;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    if (!isEscaped(bytes, quote)) return quote;
    at = quote + 1;
    for (const near = Math.min(at + LOOK_AHEAD, bytes.length); at < near; at += 1) {
      if (bytes[at] === BACKSLASH) at += 1;
      else if (bytes[at] === QUOTE) return at;
    }
    if (at >= until) return Math.min(at, bytes.length);
  }
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
