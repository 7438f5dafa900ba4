import { type JsonObject, type JsonValue, isJsonObject } from '#base';

/** Keywords that Anthropic's structured outputs accept unchanged. */
const KEPT: ReadonlySet<string> = new Set(['type', 'enum', 'const', '$ref', 'title', 'default', 'required']);
/** Keywords that hold a schema, a list of schemas, or schemas by name. */
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'allOf']);
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Keywords that do not constrain the value. */
const SILENT: ReadonlySet<string> = new Set([
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
export function sanitizeSchema(schema: JsonObject): JsonObject {
  const members: [string, JsonValue | undefined][] = [];
  const given: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    const kept = sanitizeMember(name, value);
    if (kept !== undefined) members.push([name, kept]);
    else if (!SILENT.has(name)) given.push(`${name}: ${JSON.stringify(value)}`);
  }
  const clean: JsonObject = Object.fromEntries(members);
  if (Array.isArray(schema['oneOf']))
    clean['anyOf'] = [...asArray(clean['anyOf']), ...schema['oneOf'].map(sanitizeValue)];
  if (isObjectSchema(schema)) clean['additionalProperties'] = false;
  const description = [schema['description'], given.length > 0 ? `(${given.join(', ')})` : undefined]
    .filter((part) => typeof part === 'string')
    .join(' ');
  if (description !== '') clean['description'] = description;
  return clean;
}

/** `undefined` for a member that goes into the description or is dropped. */
function sanitizeMember(name: string, value: JsonValue | undefined): JsonValue | undefined {
  if (KEPT.has(name)) return value;
  if (LISTS.has(name)) return Array.isArray(value) ? value.map(sanitizeValue) : undefined;
  if (MAPS.has(name)) return isJsonObject(value) ? sanitizeMap(value) : undefined;
  if (name === 'items') return Array.isArray(value) ? undefined : sanitizeValue(value ?? true);
  if (name === 'format') return FORMATS.has(value) ? value : undefined;
  if (name === 'minItems') return value === 0 || value === 1 ? value : undefined;
  return undefined;
}

function sanitizeValue(value: JsonValue): JsonValue {
  return isJsonObject(value) ? sanitizeSchema(value) : value;
}

function sanitizeMap(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, sanitizeValue(value ?? true)]));
}

function asArray(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isJsonObject(properties);
}
