import { type JsonValue, toStorableText } from '#base';

const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/**
 * JSON text that PostgreSQL accepts as `jsonb`: NUL and lone surrogates become U+FFFD. `JSON.stringify` escapes both,
 * and nothing else that way, so clean values cost one search.
 */
export function encodeStorableJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(value, (_key, inner: JsonValue) => cleanValue(inner));
}

function cleanValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return toStorableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toStorableText(key), inner]));
}
