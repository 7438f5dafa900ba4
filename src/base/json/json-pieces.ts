import { type JsonValue, isRawNumber } from './json.ts';

/** Characters serialized at once: about a millisecond of work. */
const MOST_CHARACTERS = 128 * 1024;
/** The cost of a value besides its text, in characters. */
const PER_VALUE = 16;

/** Serializes a value as JSON in pieces that each take little time; joined, they equal `JSON.stringify`. */
export function* printInPieces(value: JsonValue): Generator<string> {
  if (isSmallJson(value)) yield JSON.stringify(value);
  else if (typeof value === 'string') yield* printText(value);
  else if (Array.isArray(value)) yield* printList(value);
  else yield* printMembers(value as Record<string, JsonValue | undefined>);
}

function* printText(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length;) {
    let end = at + MOST_CHARACTERS;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Small items are serialized together, up to one piece. */
function* printList(list: readonly JsonValue[]): Generator<string> {
  yield '[';
  for (let at = 0; at < list.length;) {
    const end = findRunEnd(list, at);
    if (at > 0) yield ',';
    if (end > at) yield JSON.stringify(list.slice(at, end)).slice(1, -1);
    else yield* printInPieces(list[at] as JsonValue);
    at = Math.max(end, at + 1);
  }
  yield ']';
}

/** The end of a piece that begins here; `from` if its first item is not small. */
function findRunEnd(list: readonly JsonValue[], from: number): number {
  let [end, left] = [from, MOST_CHARACTERS];
  for (; end < list.length; end += 1) {
    left = spend(list[end], left);
    if (left < 0) break;
  }
  return end;
}

function* printMembers(object: Record<string, JsonValue | undefined>): Generator<string> {
  let small = '{';
  let isFirst = true;
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    small += `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
    isFirst = false;
    if (isSmallJson(value)) {
      small += JSON.stringify(value);
      if (small.length < MOST_CHARACTERS) continue;
    }
    yield small;
    small = '';
    if (!isSmallJson(value)) yield* printInPieces(value);
  }
  yield `${small}}`;
}

/** Whether serializing a value takes negligible time. */
export function isSmallJson(value: JsonValue): boolean {
  return spend(value, MOST_CHARACTERS) >= 0 || isRawNumber(value);
}

/** The rest of a budget of characters after a value; negative if the value exceeds it. */
function spend(value: JsonValue | undefined, left: number): number {
  let rest = left - PER_VALUE;
  if (typeof value === 'string') return rest - value.length;
  if (typeof value !== 'object' || value === null) return rest;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && rest >= 0; at += 1) rest = spend(value[at], rest);
    return rest;
  }
  for (const name in value) {
    rest = spend(value[name], rest - name.length);
    if (rest < 0) return rest;
  }
  return rest;
}
