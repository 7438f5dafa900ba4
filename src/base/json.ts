export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses text to a value, or gives `undefined` where it is not JSON (JSON itself has no `undefined`). */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Parses text that must hold an object; anything else gives `undefined`. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** What `JSON` has beside its types: the text of a number, and a value that is printed as the text it was made from. */
const WORDED = JSON as unknown as {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
};
/** Sixteen digits where a number begins; the fractions of log probabilities are as long, and no reason to read slowly. */
const LONG_NUMBER = /[[,:\s]-?\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * The same for what is only printed again, such as the arguments of a tool call: whole numbers that no double holds are kept
 * as their digits, in objects that `JSON.stringify` alone can read.
 */
export function parseExact(text: string): JsonValue | undefined {
  if (!LONG_NUMBER.test(text)) return parseJson(text);
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

export function parseExactObject(text: string): JsonObject | undefined {
  const value = parseExact(text);
  return isJsonObject(value) ? value : undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The deepest nesting of arrays and objects in JSON bytes, without parsing them.
 * Strings are skipped by a native search, so a long prompt costs next to nothing.
 * Stops early once the depth exceeds `limit`. Malformed input gives some number; the parser judges it.
 */
export function measureDepth(bytes: Buffer, limit: number): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = findStringEnd(bytes, at);
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (deepest > limit) return deepest;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    }
  }
  return deepest;
}

/** Where the string that begins at `start` ends: its closing quote. */
export function findStringEnd(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(QUOTE, start + 1);
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1);
  return end === -1 ? bytes.length : end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
