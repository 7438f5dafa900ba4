import { isJsonObject } from './json.ts';

const LONGEST = 200;

/**
 * Formats a path in a JSON value as errors show it: `messages[0].content`. Array indexes are in brackets; the empty
 * path gives the empty string.
 */
export function namePlace(value: unknown, path: readonly string[]): string {
  let text = '';
  let at = value;
  for (const step of path) {
    const name = step === '' ? '""' : step;
    text += Array.isArray(at) ? `[${name}]` : text === '' ? name : `.${name}`;
    if (text.length > LONGEST) return `${text.slice(0, LONGEST)}…`;
    at = Array.isArray(at) ? (at as unknown[])[Number(name)] : isJsonObject(at) ? at[name] : undefined;
  }
  return text;
}
