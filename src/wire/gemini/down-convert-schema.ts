import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { without } from './members.ts';
import { resolveReference } from './resolve-reference.ts';
import { joinAlternatives, joinSchemas, widen } from './schema-alternatives.ts';
import { convertEnum } from './schema-enum.ts';

/** Keywords with the same name and meaning in Gemini's schema. */
const NUMBERS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minimum', 'maximum'] as const;
const TEXTS = ['title', 'pattern'] as const;
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};
const TYPES: ReadonlySet<JsonValue | undefined> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
]);
/** Constraints without a Gemini keyword, added to the description if they are short. */
const TOLD = [
  'format',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
  'default',
] as const;
const MOST_TOLD = 200;
/** References can expand a schema exponentially; beyond this many positions, or this depth, the rest is left open. */
const MOST_POSITIONS = 4000;
const MOST_DEPTH = 48;

/**
 * Converts a tool's JSON Schema to the subset of OpenAPI that Gemini accepts; nothing for a tool without parameters.
 * Only schema positions are walked, so a property named like a keyword survives.
 */
export function downConvertSchema(schema: JsonObject): JsonObject | undefined {
  const converted = new SchemaConverter(schema).convert(schema, []);
  const { anyOf, properties } = converted;
  if (isJsonObject(properties)) return { ...converted, type: 'object' };
  // Function parameters must be an object, whatever the schema declares.
  const wide = widen(without(converted, 'anyOf', 'nullable'), asList(anyOf).filter(isJsonObject));
  return wide['properties'] === undefined ? undefined : wide;
}

class SchemaConverter {
  readonly #root: JsonObject;
  #positions = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** `trail` holds the enclosing schemas: a reference back to one of them is cut. */
  convert(schema: JsonObject, trail: readonly JsonObject[]): JsonObject {
    this.#positions += 1;
    const isCut = trail.length > MOST_DEPTH || this.#positions > MOST_POSITIONS || trail.includes(schema);
    if (isCut) return describe(schema, { type: isObjectSchema(schema) ? 'object' : 'string' }, []);
    const inner = [...trail, schema];
    if (typeof schema['$ref'] === 'string') return this.#inline(schema, schema['$ref'], inner);
    if (Array.isArray(schema['allOf'])) return this.#join(schema, schema['allOf'], inner);
    if (Array.isArray(schema['type']) && countTypes(schema['type']) > 1)
      return this.#split(schema, schema['type'], inner);
    return this.#convertPlain(schema, inner);
  }

  #inline(schema: JsonObject, reference: string, trail: readonly JsonObject[]): JsonObject {
    const beside = without(schema, '$ref');
    const found = resolveReference(this.#root, reference);
    if (!found) return this.#convertPlain(beside, trail);
    const converted = this.convert(found, trail);
    const { description } = beside;
    return typeof description === 'string' ? { ...converted, description } : converted;
  }

  /** Merges the parts of `allOf`: properties and required names add up, otherwise the first value wins. */
  #join(schema: JsonObject, parts: JsonValue[], trail: readonly JsonObject[]): JsonObject {
    const beside = without(schema, 'allOf');
    let joined: JsonObject = this.#convertLoosely(beside, trail);
    for (const part of parts) {
      if (isJsonObject(part)) joined = joinSchemas(joined, this.#convertLoosely(part, trail));
    }
    return requireKnown(joined);
  }

  /** A part of `allOf` may require names that another part describes. */
  #convertLoosely(schema: JsonObject, trail: readonly JsonObject[]): JsonObject {
    const required = asList(schema['required']).filter((name) => typeof name === 'string');
    const converted = this.convert(schema, trail);
    return required.length > 0 ? { ...converted, required } : converted;
  }

  #split(schema: JsonObject, types: JsonValue[], trail: readonly JsonObject[]): JsonObject {
    const { description, title } = schema;
    const rest = without(schema, 'description', 'title', 'type');
    const named = [...new Set(types)].filter((type) => TYPES.has(type));
    const anyOf = named.map((type) => this.#convertPlain(pickFor(type, rest), trail));
    return {
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      anyOf,
      ...(types.includes('null') && { nullable: true }),
    };
  }

  #convertPlain(schema: JsonObject, trail: readonly JsonObject[]): JsonObject {
    const [types, isNull] = readType(schema);
    const values = Array.isArray(schema['enum'])
      ? schema['enum']
      : 'const' in schema
        ? [schema['const'] ?? null]
        : undefined;
    const listed = values && convertEnum(values, types);
    const converted: JsonObject = types === undefined ? {} : { type: types };
    for (const name of TEXTS) if (typeof schema[name] === 'string') converted[name] = schema[name];
    for (const name of NUMBERS) if (typeof schema[name] === 'number') converted[name] = schema[name];
    const format = schema['format'];
    const takesFormat = typeof format === 'string' && FORMATS[types ?? '']?.includes(format);
    if (takesFormat) converted['format'] = format;
    Object.assign(converted, listed?.members, this.#convertChildren(schema, types, trail));
    if (isNull || listed?.nullable || schema['nullable'] === true) converted['nullable'] = true;
    const joined = this.#addAlternatives(schema, requireKnown(converted), trail);
    const given = TOLD.filter((name) => schema[name] !== undefined && !(name === 'format' && takesFormat));
    return describe(schema, joined, [
      ...given.map((name): [string, JsonValue] => [name, schema[name] ?? null]),
      ...(listed?.given ? [['one of', listed.given] as [string, JsonValue]] : []),
    ]);
  }

  #convertChildren(schema: JsonObject, type: string | undefined, trail: readonly JsonObject[]): JsonObject {
    const children: JsonObject = {};
    const { properties, required, items, prefixItems, propertyOrdering } = schema;
    if (isJsonObject(properties) && Object.keys(properties).length > 0) {
      const entries = Object.entries(properties).map(([name, value]) => [
        name,
        this.#convertValue(value, trail),
      ]);
      children['properties'] = Object.fromEntries(entries) as JsonObject;
      if (Array.isArray(required)) children['required'] = required;
      if (Array.isArray(propertyOrdering)) children['propertyOrdering'] = propertyOrdering;
    }
    if (type !== 'array') return children;
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
    if (tuple) children['items'] = toAnyOf(tuple.map((item) => this.#convertValue(item, trail)));
    // Google refuses an array without an item type.
    else children['items'] = isJsonObject(items) ? this.convert(items, trail) : { type: 'string' };
    return children;
  }

  #convertValue(value: JsonValue | undefined, trail: readonly JsonObject[]): JsonObject {
    return isJsonObject(value) ? this.convert(value, trail) : {};
  }

  /** `anyOf` and `oneOf`; an alternative that is only `null` makes the rest nullable. */
  #addAlternatives(schema: JsonObject, converted: JsonObject, trail: readonly JsonObject[]): JsonObject {
    const all = [...asList(schema['anyOf']), ...asList(schema['oneOf'])].filter(isJsonObject);
    const real = all.filter((item) => item['type'] !== 'null');
    if (real.length < all.length) converted['nullable'] = true;
    return joinAlternatives(
      converted,
      real.map((item) => this.convert(item, trail)),
    );
  }
}

/**
 * The one type besides `null`, and whether `null` is allowed; the type of an untyped schema follows from its keywords.
 */
function readType(schema: JsonObject): [type: string | undefined, isNull: boolean] {
  const given = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const type = given.find((item) => TYPES.has(item)) as string | undefined;
  if (type !== undefined || given.includes('null')) return [type, given.includes('null')];
  if (isObjectSchema(schema)) return ['object', false];
  return ['items' in schema || 'prefixItems' in schema ? 'array' : undefined, false];
}

function countTypes(types: JsonValue[]): number {
  return new Set(types.filter((type) => TYPES.has(type))).size;
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isJsonObject(properties);
}

/** The part of a multi-type schema that applies to one of its types. */
function pickFor(type: JsonValue, schema: JsonObject): JsonObject {
  const picked: JsonObject = { ...schema, type };
  if (type !== 'object') delete picked['properties'];
  if (Array.isArray(schema['enum']))
    picked['enum'] = schema['enum'].filter(
      (value) => typeof value === type || (type === 'integer' && Number.isInteger(value)),
    );
  if (Array.isArray(picked['enum']) && picked['enum'].length === 0) delete picked['enum'];
  return picked;
}

/** Google refuses required names without a property. */
function requireKnown(converted: JsonObject): JsonObject {
  const { properties, required } = converted;
  if (!Array.isArray(required)) return converted;
  const known = required.filter(
    (name) => typeof name === 'string' && isJsonObject(properties) && Object.hasOwn(properties, name),
  );
  if (known.length > 0) converted['required'] = [...new Set(known)];
  else delete converted['required'];
  return converted;
}

function describe(schema: JsonObject, converted: JsonObject, given: [string, JsonValue][]): JsonObject {
  const words = given
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .filter((text) => text.length <= MOST_TOLD);
  const own = schema['description'] ?? converted['description'];
  const said = typeof own === 'string' ? own : '';
  const description = words.length > 0 ? `${said} (${words.join(', ')})`.trim() : said;
  if (description !== '') converted['description'] = description;
  return converted;
}

function toAnyOf(schemas: JsonObject[]): JsonObject {
  const [first] = schemas;
  return schemas.length === 1 && first ? first : { anyOf: schemas };
}

function asList(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
