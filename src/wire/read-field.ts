import { type JsonValue, isJsonObject } from '#base';
import { GatewayError } from '#errors';
import type { ArrayOf, ItemOf, ObjectOf } from './unchecked.ts';

// Readers that also take a `step` build the path only for a refusal, because conversations have thousands of members.

/** Throws a refusal of the field at `path`. */
export function refuse(path: string, complaint: string): never {
  throw new GatewayError('invalid_request', `${path}: ${complaint}`, { param: path });
}

/** Describes the kind of a value for a message. */
function describeKind(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`;
}

/** `isJsonObject` that keeps the names of the members. */
export function isObject<V>(value: V): value is ObjectOf<V> {
  return isJsonObject(value);
}

/** `Array.isArray` that keeps the type of the items. */
export function isArray<V>(value: V): value is ArrayOf<V> {
  return Array.isArray(value);
}

const NO_ITEMS: readonly never[] = [];

/** The items of an array; none for any other value. */
export function itemsOf<V>(value: V): readonly ItemOf<V>[] {
  return Array.isArray(value) ? (value as readonly ItemOf<V>[]) : NO_ITEMS;
}

export function requireString(value: JsonValue | undefined, path: string, step = ''): string {
  if (typeof value === 'string') return value;
  return refuse(path + step, `expected a string, got ${describeKind(value)}`);
}

export function requireText(value: JsonValue | undefined, path: string, step = ''): string {
  const text = requireString(value, path, step);
  return text === '' ? refuse(path + step, 'must not be empty') : text;
}

export function requireObject<V extends JsonValue | undefined>(
  value: V,
  path: string,
  step = '',
): ObjectOf<V> {
  if (isObject(value)) return value;
  return refuse(path + step, `expected an object, got ${describeKind(value)}`);
}

export function requireArray<V extends JsonValue | undefined>(value: V, path: string, step = ''): ArrayOf<V> {
  if (isArray(value)) return value;
  return refuse(path + step, `expected an array, got ${describeKind(value)}`);
}

export function requireBoolean(value: JsonValue | undefined, path: string, step = ''): boolean {
  if (typeof value === 'boolean') return value;
  return refuse(path + step, `expected a boolean, got ${describeKind(value)}`);
}

/** Inclusive bounds. */
interface Range {
  least: number;
  most: number;
}

export function requireNumber(value: JsonValue | undefined, path: string, range: Range): number {
  if (typeof value !== 'number') return refuse(path, `expected a number, got ${describeKind(value)}`);
  if (!Number.isFinite(value) || value < range.least || value > range.most) {
    return refuse(path, `must be between ${range.least} and ${range.most}`);
  }
  return value;
}

export function requireInteger(value: JsonValue | undefined, path: string, range: Range): number {
  const number = requireNumber(value, path, range);
  return Number.isSafeInteger(number) ? number : refuse(path, 'must be an integer');
}

/** Reads one of a closed list of words. */
export function requireWord<W extends string>(
  value: JsonValue | undefined,
  path: string,
  words: readonly W[],
): W {
  const found = words.find((word) => word === value);
  return found ?? refuse(path, `must be one of ${words.join(', ')}`);
}

/** Whether a member is present and not null. */
export function isPresent<T extends JsonValue>(value: T | undefined): value is Exclude<T, null> {
  return value !== undefined && value !== null;
}

/** Reads an optional member at the top of the body; null counts as absent. */
export function readMember<Body, Key extends keyof Body & string, T>(
  body: Body,
  key: Key,
  read: (present: NonNullable<Body[Key]>, path: string) => T,
): T | undefined {
  const value = body[key];
  return value === undefined || value === null ? undefined : read(value, key);
}
