import type { JsonValue } from '#base';
import type { RawSchema } from '../../body/json-schema.ts';
import { isArray, isObject } from '../../body/read-field.ts';

/** Counts that Google's JSON encodes as text. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

/** Converts Gemini's schema (`type: "OBJECT"`, `nullable`) to JSON Schema; JSON Schema is kept as it is. */
export function upConvertSchema(schema: RawSchema): RawSchema {
  const members: [string, JsonValue | undefined][] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'nullable' || (name === 'format' && value === 'enum')) continue;
    members.push([toKeyword(name), convertMember(toKeyword(name), value)]);
  }
  const converted: RawSchema = Object.fromEntries(members);
  if (isArray(converted.enum)) converted.enum = toValues(converted.enum, converted.type);
  return schema.nullable === true ? allowNull(converted) : converted;
}

/** Google's own examples also use snake-case names. */
function toKeyword(name: string): string {
  switch (name) {
    case 'any_of':
      return 'anyOf';
    case 'min_items':
      return 'minItems';
    case 'max_items':
      return 'maxItems';
    case 'property_ordering':
      return 'propertyOrdering';
    default:
      return name;
  }
}

function convertMember(name: string, value: JsonValue | undefined): JsonValue | undefined {
  if (name === 'type') return convertType(value);
  if (name === 'items' || name === 'additionalProperties') return convertValue(value);
  if (name === 'anyOf' || name === 'oneOf' || name === 'allOf' || name === 'prefixItems')
    return Array.isArray(value) ? value.map((item) => convertValue(item) ?? null) : value;
  if (name === 'properties' || name === '$defs' || name === 'definitions') return convertMap(value);
  if (COUNTS.has(name) && typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  return value;
}

function convertType(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return value.toLowerCase();
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'string' ? item.toLowerCase() : item))
    : value;
}

function convertValue(value: JsonValue | undefined): JsonValue | undefined {
  return isObject(value) ? upConvertSchema(value) : value;
}

function convertMap(value: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, convertValue(inner)]));
}

/** Enumerated numbers are encoded as text. */
function toValues(choices: JsonValue[], type: JsonValue | undefined): JsonValue[] {
  if (type !== 'integer' && type !== 'number') return choices;
  return choices.map((choice) =>
    typeof choice === 'string' && choice.trim() !== '' && Number.isFinite(Number(choice))
      ? Number(choice)
      : choice,
  );
}

function allowNull(schema: RawSchema): RawSchema {
  const { type, anyOf } = schema;
  const choices = isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  if (typeof type === 'string' && type !== 'null') return { ...schema, type: [type, 'null'], ...choices };
  return isArray(anyOf) ? { ...schema, anyOf: [...anyOf, { type: 'null' }] } : schema;
}
