import type { JsonValue } from '#base';
import type { JsonSchema } from '../../body/json-schema.ts';
import { isArray, isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';

/** Keywords whose schemas are counted by themselves. */
const SCHEMAS: ReadonlySet<string> = new Set<keyof JsonSchema>([
  'properties',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  '$defs',
  'definitions',
]);
const CHARACTERS_PER_VALUE = 16;

/** The values and text of a schema, without the schemas inside it: the cost of converting it once more. */
export function schemaSize(schema: Members<JsonSchema>): number {
  let size = 0;
  for (const [name, value] of Object.entries(schema))
    size += 1 + (SCHEMAS.has(name) ? countEntries(value) : sizeOf(value));
  return size;
}

function countEntries(value: JsonValue | undefined): number {
  if (isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function sizeOf(value: JsonValue | undefined): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_VALUE;
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const [name, inner] of Object.entries(value))
    size += name.length / CHARACTERS_PER_VALUE + sizeOf(inner);
  return size;
}
