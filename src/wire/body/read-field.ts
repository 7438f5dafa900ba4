import { type JsonValue, isJsonObject } from '#base';
import { createParamError } from '#errors';
import type { ArrayOf, ItemOf, ObjectOf } from './unchecked.ts';

/** Throws a refusal of the field at `path`. */
export function refuse(path: string, complaint: string): never {
  throw createParamError(path, complaint);
}

/** Throws `unsupported_feature` for the field at `path`. */
export function refuseUnsupported(path: string, complaint: string): never {
  throw createParamError(path, complaint, 'unsupported_feature');
}

/** Describes the kind of a value for a message. */
export function describeKind(value: JsonValue | undefined): string {
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

export function requireString(value: JsonValue | undefined, path: string): string {
  return typeof value === 'string' ? value : refuse(path, `expected a string, got ${describeKind(value)}`);
}

export function requireObject<V extends JsonValue | undefined>(value: V, path: string): ObjectOf<V> {
  return isObject(value) ? value : refuse(path, `expected an object, got ${describeKind(value)}`);
}

export function requireArray<V extends JsonValue | undefined>(value: V, path: string): ArrayOf<V> {
  return isArray(value) ? value : refuse(path, `expected an array, got ${describeKind(value)}`);
}

const MOST_NAME = 64;

/** A name from a caller or a provider, as errors and log rows show it. */
export function cutName(name: string): string {
  return name.slice(0, MOST_NAME);
}

/** Whether a member is present and not null. */
export function isPresent<T extends JsonValue>(value: T | undefined): value is Exclude<T, null> {
  return value !== undefined && value !== null;
}
