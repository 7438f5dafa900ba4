import { type JsonObject, type JsonValue, isJsonObject } from '#base';

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
export function meetsStrictSubset(schema: JsonObject): boolean {
  return schema['anyOf'] === undefined && schema['type'] === 'object' && isStrict(schema);
}

function isStrict(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return false;
  if (REFUSED_KEYWORDS.some((word) => schema[word] !== undefined)) return false;
  const { properties, items, anyOf, $defs: defs, definitions } = schema;
  if (hasType(schema, 'object') && !isClosed(schema)) return false;
  return (
    everyMember(properties) &&
    everyMember(defs) &&
    everyMember(definitions) &&
    (items === undefined || isStrict(items)) &&
    (anyOf === undefined || (Array.isArray(anyOf) && anyOf.every(isStrict)))
  );
}

function hasType(schema: JsonObject, type: string): boolean {
  const given = schema['type'];
  return (
    given === type ||
    (Array.isArray(given) && given.includes(type)) ||
    (given === undefined && isJsonObject(schema['properties']))
  );
}

function isClosed(schema: JsonObject): boolean {
  const { properties, required, additionalProperties } = schema;
  if (additionalProperties !== false) return false;
  const names: JsonValue[] = isJsonObject(properties) ? Object.keys(properties) : [];
  const wanted = Array.isArray(required) ? required : [];
  return names.every((name) => wanted.includes(name)) && wanted.every((name) => names.includes(name));
}

function everyMember(members: JsonValue | undefined): boolean {
  return members === undefined || (isJsonObject(members) && Object.values(members).every(isStrict));
}
