import type { JsonValue } from '#base';
import { GatewayError } from '#errors';
import { isArray, isObject } from '../read-field.ts';
import type { ArrayOf, ObjectOf } from '../unchecked.ts';
import { findMember } from './members.ts';

/** Throws a refusal of the field at `path`. */
export function refuse(path: string, complaint: string): never {
  throw new GatewayError('invalid_request', `${path}: ${complaint}`, { param: path });
}

function describeKind(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`;
}

export function requireString(value: JsonValue | undefined, path: string): string {
  return typeof value === 'string' ? value : refuse(path, `expected a string, got ${describeKind(value)}`);
}

export function requireText(value: JsonValue | undefined, path: string): string {
  const text = requireString(value, path);
  return text === '' ? refuse(path, 'must not be empty') : text;
}

export function requireObject<V extends JsonValue | undefined>(value: V, path: string): ObjectOf<V> {
  return isObject(value) ? value : refuse(path, `expected an object, got ${describeKind(value)}`);
}

export function requireArray<V extends JsonValue | undefined>(value: V, path: string): ArrayOf<V> {
  return isArray(value) ? value : refuse(path, `expected an array, got ${describeKind(value)}`);
}

/** Inclusive bounds. */
interface Range {
  least: number;
  most: number;
}

export function requireNumber(value: JsonValue | undefined, path: string, { least, most }: Range): number {
  if (typeof value !== 'number') return refuse(path, `expected a number, got ${describeKind(value)}`);
  if (!Number.isFinite(value) || value < least || value > most)
    return refuse(path, `must be between ${least} and ${most}`);
  return value;
}

/** Reads an optional member by either of its names; null counts as absent. */
export function readMember<Owner extends object, Name extends keyof Owner & string, T>(
  owner: Owner,
  name: Name,
  read: (present: NonNullable<Owner[Name]>) => T,
): T | undefined {
  const value = findMember(owner, name);
  return value === undefined ? undefined : read(value);
}
