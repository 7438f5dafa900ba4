import type { JsonValue } from '#base';
import { GatewayError } from '#errors';
import { isArray, isObject } from '../read-field.ts';
import type { ArrayOf, ObjectOf } from '../unchecked.ts';

/** A refusal whose message begins with the path of the field. */
export function invalid(path: string, problem: string): GatewayError {
  return new GatewayError('invalid_request', `${path}: ${problem}`, { param: path });
}

export function readObject<V extends JsonValue | undefined>(value: V, path: string): ObjectOf<V> {
  if (isObject(value)) return value;
  throw invalid(path, value === undefined ? 'field required' : 'must be an object');
}

export function readString(value: JsonValue | undefined, path: string): string {
  if (typeof value === 'string') return value;
  throw invalid(path, value === undefined ? 'field required' : 'must be a string');
}

export function readArray<V extends JsonValue | undefined>(value: V, path: string): ArrayOf<V> {
  if (isArray(value)) return value;
  throw invalid(path, value === undefined ? 'field required' : 'must be an array');
}

function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null;
}

/** An optional text; `null` counts as absent. */
export function findString(value: JsonValue | undefined, path: string): string | undefined {
  return value === undefined || value === null ? undefined : readString(value, path);
}

/** An optional flag; `null` counts as absent. */
export function findBoolean(value: JsonValue | undefined, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw invalid(path, 'must be a boolean');
}

/** An optional object; `null` counts as absent. */
export function findObject<V extends JsonValue | undefined>(value: V, path: string): ObjectOf<V> | undefined {
  return isAbsent(value) ? undefined : readObject(value, path);
}

/** An optional array; `null` counts as absent. */
export function findArray<V extends JsonValue | undefined>(value: V, path: string): ArrayOf<V> | undefined {
  return isAbsent(value) ? undefined : readArray(value, path);
}

export function findNumber(value: JsonValue | undefined, path: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw invalid(path, 'must be a finite number');
}

/** An optional integer ≥ 0 that a double holds exactly. */
export function findCount(value: JsonValue | undefined, path: string): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalid(path, 'must be an integer that is not negative');
}
