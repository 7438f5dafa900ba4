import { type JsonObject, type JsonValue, QUOTE, findStringEnd } from './json.ts';
import { finish } from '../finish.ts';
import { printInPieces } from './json-pieces.ts';

/** The source bytes of a member's value. */
interface MemberBytes {
  bytes: Buffer;
  /** Members inside it, including repeated ones. */
  names: number;
}

const COMMA = 0x2c;
const COLON = 0x3a;

/** Bytes scanned before yielding to other work. */
const CUT_AT_ONCE = 1024 * 1024;

/**
 * Splits the text of an object, which must be valid JSON, into the values of its members; of a repeated member the last
 * counts. Yields now and then so that other work can run.
 */
export function* sliceMembers(text: Buffer): Generator<undefined, Map<string, MemberBytes>> {
  const members = new Map<string, MemberBytes>();
  let [depth, start, names, name, until] = [0, 0, 0, '', CUT_AT_ONCE];
  for (let at = 0; at < text.length; at += 1) {
    for (; at >= until; until = at + CUT_AT_ONCE) yield;
    const byte = text[at];
    if (byte === QUOTE) {
      let end = findStringEnd(text, at, until);
      for (; text[end] !== QUOTE; end = findStringEnd(text, end - 1, until)) {
        yield;
        until = end + CUT_AT_ONCE;
      }
      if (depth === 1 && start === 0) name = JSON.parse(text.toString('utf8', at, end + 1)) as string;
      at = end;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
    } else if (byte === COLON) {
      if (depth === 1) [start, names] = [at + 1, 0];
      else names += 1;
    } else if (byte === 0x7d || byte === 0x5d || byte === COMMA) {
      if (depth === 1 && start > 0) {
        members.set(name, { bytes: text.subarray(start, at), names });
        start = 0;
      }
      if (byte !== COMMA) depth -= 1;
    }
  }
  return members;
}

/** Counts the members of a value at all depths. */
export function countMembers(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const inner of value) count += countMembers(inner);
  else for (const name in value) count += 1 + countMembers(value[name]);
  return count;
}

/** An object and the text it was parsed from. */
export interface ParsedText {
  body: JsonObject;
  bytes: Buffer;
}

/** Below this size, serializing is cheaper than comparing. */
const WORTHWHILE_BYTES = 16 * 1024;

/**
 * Serializes an object as JSON. Members that are still the same values as in `parsed` are copied as their source bytes,
 * so a long conversation is not serialized again. A member with a repeated name inside is serialized, so that two
 * parsers cannot read it differently. Relies on parsed bodies never being mutated.
 */
export function printJson(object: JsonObject, parsed: ParsedText | undefined): string | Buffer {
  return parsed && parsed.bytes.length >= WORTHWHILE_BYTES
    ? finish(printMembers(object, parsed, printWhole))
    : JSON.stringify(object);
}

/** The same, yielding now and then so that other work can run. */
export function* printJsonSlowly(
  object: JsonObject,
  parsed: ParsedText | undefined,
): Generator<undefined, Buffer> {
  if (parsed) return yield* printMembers(object, parsed, printInPieces);
  const pieces: Buffer[] = [];
  yield* write(printInPieces(object), pieces);
  return yield* join(pieces);
}

function* printMembers(
  object: JsonObject,
  parsed: ParsedText,
  print: (value: JsonValue) => Iterable<string>,
): Generator<undefined, Buffer> {
  const members = yield* sliceMembers(parsed.bytes);
  const pieces: Buffer[] = [];
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`));
    const isSame = typeof value === 'object' && value === parsed.body[name];
    const came = isSame ? members.get(name) : undefined;
    if (came?.names === countMembers(value)) pieces.push(came.bytes);
    else yield* write(print(value), pieces);
  }
  pieces.push(Buffer.from(pieces.length === 0 ? '{}' : '}'));
  return yield* join(pieces);
}

function printWhole(value: JsonValue): [string] {
  return [JSON.stringify(value)];
}

function* write(texts: Iterable<string>, pieces: Buffer[]): Generator<undefined, void> {
  for (const text of texts) {
    yield;
    pieces.push(Buffer.from(text));
  }
}

function* join(pieces: readonly Buffer[]): Generator<undefined, Buffer> {
  yield;
  const [only] = pieces;
  return pieces.length === 1 && only ? only : Buffer.concat(pieces);
}
