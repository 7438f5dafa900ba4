import { isJsonObject } from './json.ts';

const LONGEST = 200;

/**
 * The place in a JSON value that a path leads to, as errors write it: `messages[0].content`. Members are named as they were
 * sent; an array's places stand in brackets. The empty path gives the empty text.
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
