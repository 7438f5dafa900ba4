import type { JsonObject, JsonValue } from '#base';
import { type JsonSchema, type RawSchema, isObjectSchema } from '../../body/json-schema.ts';
import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import type { Unchecked } from '../../body/unchecked.ts';

/** Keywords that Anthropic's structured outputs accept unchanged. */
const KEPT: ReadonlySet<string> = new Set<keyof JsonSchema>([
  'type',
  'enum',
  'const',
  '$ref',
  'title',
  'default',
  'required',
]);
/** Keywords that hold a schema, a list of schemas, or schemas by name. */
const LISTS: ReadonlySet<string> = new Set<keyof JsonSchema>(['anyOf', 'allOf']);
const MAPS: ReadonlySet<string> = new Set<keyof JsonSchema>(['properties', '$defs', 'definitions']);
/** Keywords that do not constrain the value. */
const SILENT: ReadonlySet<string> = new Set<keyof JsonSchema>([
  '$schema',
  '$id',
  '$comment',
  'description',
  'additionalProperties',
  'oneOf',
]);
const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/**
 * Converts a JSON Schema to what Anthropic accepts for structured output: refused constraints go into the description.
 * Only schema positions are walked, so a property named like a keyword survives.
 */
export function sanitizeSchema(schema: RawSchema): RawSchema {
  const members: [string, JsonValue | undefined][] = [];
  const given: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    const kept = sanitizeMember(name, value);
    if (kept !== undefined) members.push([name, kept]);
    else if (!SILENT.has(name)) given.push(`${name}: ${JSON.stringify(value)}`);
  }
  const clean: RawSchema = Object.fromEntries(members);
  if (isArray(schema.oneOf)) clean.anyOf = [...itemsOf(clean.anyOf), ...schema.oneOf.map(sanitizeValue)];
  if (isObjectSchema(schema)) clean.additionalProperties = false;
  const description = [schema.description, given.length > 0 ? `(${given.join(', ')})` : undefined]
    .filter((part) => typeof part === 'string')
    .join(' ');
  if (description !== '') clean.description = description;
  return clean;
}

/** `undefined` for a member that goes into the description or is dropped. */
function sanitizeMember(name: string, value: Unchecked<JsonSchema> | undefined): JsonValue | undefined {
  if (KEPT.has(name)) return value;
  if (LISTS.has(name)) return isArray(value) ? value.map(sanitizeValue) : undefined;
  if (MAPS.has(name)) return isObject(value) ? sanitizeMap(value) : undefined;
  if (name === 'items') return Array.isArray(value) ? undefined : sanitizeValue(value ?? true);
  if (name === 'format') return FORMATS.has(value) ? value : undefined;
  if (name === 'minItems') return value === 0 || value === 1 ? value : undefined;
  return undefined;
}

function sanitizeValue(value: Unchecked<JsonSchema>): Unchecked<JsonSchema> {
  return isObject(value) ? sanitizeSchema(value) : value;
}

function sanitizeMap(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, sanitizeValue(value ?? true)]));
}
