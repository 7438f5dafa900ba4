import type { JsonValue } from '#base';
import type { JsonSchema } from '../body/json-schema.ts';
import { isArray, isObject } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';

/** Keywords whose schemas are weighed by themselves. */
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

/** The cost of converting and printing a schema once more, by its values and text, without the schemas inside it. */
export function weighSchema(schema: Members<JsonSchema>): number {
  let weight = 0;
  for (const [name, value] of Object.entries(schema))
    weight += 1 + (SCHEMAS.has(name) ? countEntries(value) : weigh(value));
  return weight;
}

function countEntries(value: JsonValue | undefined): number {
  if (isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function weigh(value: JsonValue | undefined): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_VALUE;
  if (typeof value !== 'object' || value === null) return 1;
  let weight = 1;
  for (const [name, inner] of Object.entries(value))
    weight += name.length / CHARACTERS_PER_VALUE + weigh(inner);
  return weight;
}
