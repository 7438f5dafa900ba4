import type { JsonObject, JsonValue } from '#base';
import type { JsonSchema, RawSchema } from './json-schema.ts';
import { isArray, isObject } from './read-field.ts';
import type { Unchecked } from './unchecked.ts';

const REFUSED_KEYWORDS = [
  'allOf',
  'oneOf',
  'not',
  'dependentRequired',
  'dependentSchemas',
  'if',
  'then',
  'else',
  'patternProperties',
];

/** Whether OpenAI's strict mode accepts a schema: closed objects whose every property is required. */
export function meetsStrictSubset(schema: RawSchema): boolean {
  return schema.anyOf === undefined && schema.type === 'object' && isStrict(schema);
}

function isStrict(schema: Unchecked<JsonSchema> | undefined): boolean {
  if (!isObject(schema) || REFUSED_KEYWORDS.some((word) => word in schema)) return false;
  const { properties, items, anyOf, $defs: defs, definitions } = schema;
  if (isObjectSchema(schema) && !isClosed(schema)) return false;
  return (
    everyMember(properties) &&
    everyMember(defs) &&
    everyMember(definitions) &&
    (items === undefined || isStrict(items)) &&
    (anyOf === undefined || (isArray(anyOf) && anyOf.every(isStrict)))
  );
}

function isObjectSchema({ type, properties }: RawSchema): boolean {
  if (isArray(type)) return type.includes('object');
  return type === 'object' || (type === undefined && isObject(properties));
}

function isClosed({ properties, required, additionalProperties }: RawSchema): boolean {
  if (additionalProperties !== false) return false;
  const names = new Set<JsonValue>(isObject(properties) ? Object.keys(properties) : []);
  const wanted = new Set<JsonValue>(isArray(required) ? required : []);
  return names.size === wanted.size && names.isSubsetOf(wanted);
}

function everyMember(members: RawSchema['properties']): boolean {
  return members === undefined || (isObject(members) && Object.values(members).every(isStrict));
}

/** The schema, as one of an object with properties, which OpenAI requires of a function's parameters. */
export function ensureObjectSchema(schema: RawSchema): JsonObject {
  const { type, properties } = schema;
  if (type === 'object' && isObject(properties)) return schema;
  return { ...schema, type: 'object', properties: isObject(properties) ? properties : {} };
}
