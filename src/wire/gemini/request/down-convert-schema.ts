import type { JsonObject, JsonValue } from '#base';
import { type JsonSchema, type RawSchema, isObjectSchema } from '../../body/json-schema.ts';
import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import { without } from '../../body/without.ts';
import { resolveReference } from './resolve-reference.ts';
import { joinAlternatives, joinSchemas, widen } from './schema-alternatives.ts';
import { convertEnum } from './schema-enum.ts';
import { schemaSize } from './schema-size.ts';

type Keyword = keyof RawSchema;

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
const DESCRIBED = [
  'format',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
  'default',
] as const;
const MOST_DESCRIBED = 200;
const ALTERNATIVES = new Set<Keyword>(['anyOf', 'nullable']);
const REFERENCE = new Set<Keyword>(['$ref']);
const PARTS = new Set<Keyword>(['allOf']);
/** Keywords of a schema of several types that apply to all of them. */
const OF_ALL_TYPES = new Set<Keyword>(['description', 'title', 'type']);
/** References can expand a schema exponentially; beyond this many positions, or this depth, the rest is left open. */
const MOST_POSITIONS = 4000;
const MOST_DEPTH = 48;
/** The limit of what references may repeat, counted by `schemaSize`. */
const MOST_REPEATED = 100_000;

/**
 * Converts a tool's JSON Schema to the subset of OpenAPI that Gemini accepts; nothing for a tool without parameters.
 * Only schema positions are walked, so a property named like a keyword survives.
 */
export function downConvertSchema(schema: JsonObject): RawSchema | undefined {
  const converted = new SchemaConverter(schema).convert(schema, []);
  const { anyOf, properties } = converted;
  if (isObject(properties)) return { ...converted, type: 'object' };
  // Function parameters must be an object, whatever the schema declares.
  const wide = widen(without(converted, ALTERNATIVES), itemsOf(anyOf).filter(isObject));
  return wide.properties === undefined ? undefined : wide;
}

class SchemaConverter {
  readonly #root: RawSchema;
  #positions = 0;
  readonly #sizes = new Map<RawSchema, number>();
  #repeated = 0;

  constructor(root: RawSchema) {
    this.#root = root;
  }

  /** `trail` holds the enclosing schemas: a reference back to one of them is cut. */
  convert(schema: RawSchema, trail: readonly RawSchema[]): RawSchema {
    this.#positions += 1;
    if (this.#isCut(schema, trail))
      return describe(schema, { type: isObjectSchema(schema) ? 'object' : 'string' }, []);
    const inner = [...trail, schema];
    if (typeof schema.$ref === 'string') return this.#inline(schema, schema.$ref, inner);
    if (isArray(schema.allOf)) return this.#join(schema, schema.allOf, inner);
    if (isArray(schema.type) && countTypes(schema.type) > 1) return this.#split(schema, schema.type, inner);
    return this.#convertPlain(schema, inner);
  }

  #isCut(schema: RawSchema, trail: readonly RawSchema[]): boolean {
    const known = this.#sizes.get(schema);
    if (known === undefined) this.#sizes.set(schema, schemaSize(schema));
    else this.#repeated += known;
    if (this.#positions > MOST_POSITIONS || this.#repeated > MOST_REPEATED) return true;
    return trail.length > MOST_DEPTH || trail.includes(schema);
  }

  #inline(schema: RawSchema, reference: string, trail: readonly RawSchema[]): RawSchema {
    const siblings = without(schema, REFERENCE);
    const found = resolveReference(this.#root, reference);
    if (!found) return this.#convertPlain(siblings, trail);
    const converted = this.convert(found, trail);
    const { description } = siblings;
    return typeof description === 'string' ? { ...converted, description } : converted;
  }

  /** Merges the parts of `allOf`: properties and required names add up, otherwise the first value wins. */
  #join(schema: RawSchema, parts: JsonValue[], trail: readonly RawSchema[]): RawSchema {
    const siblings = without(schema, PARTS);
    const schemas = [siblings, ...parts.filter(isObject)];
    return requireKnown(joinSchemas(schemas.map((each) => this.#convertLoosely(each, trail))));
  }

  /** A part of `allOf` may require names that another part describes. */
  #convertLoosely(schema: RawSchema, trail: readonly RawSchema[]): RawSchema {
    const required = itemsOf(schema.required).filter((name) => typeof name === 'string');
    const converted = this.convert(schema, trail);
    return required.length > 0 ? { ...converted, required } : converted;
  }

  #split(schema: RawSchema, types: JsonValue[], trail: readonly RawSchema[]): RawSchema {
    const { description, title } = schema;
    const rest = without(schema, OF_ALL_TYPES);
    const named = [...new Set(types)].filter((type) => TYPES.has(type));
    const anyOf = named.map((type) => this.#convertPlain(pickFor(type, rest), trail));
    return {
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      anyOf,
      ...(types.includes('null') && { nullable: true }),
    };
  }

  #convertPlain(schema: RawSchema, trail: readonly RawSchema[]): RawSchema {
    const [types, isNull] = readType(schema);
    const values = isArray(schema.enum)
      ? schema.enum
      : 'const' in schema
        ? [schema.const ?? null]
        : undefined;
    const listed = values && convertEnum(values, types);
    const converted: RawSchema = types === undefined ? {} : { type: types };
    for (const name of TEXTS) if (typeof schema[name] === 'string') converted[name] = schema[name];
    for (const name of NUMBERS) if (typeof schema[name] === 'number') converted[name] = schema[name];
    const format = schema.format;
    const takesFormat = typeof format === 'string' && FORMATS[types ?? '']?.includes(format);
    if (takesFormat) converted.format = format;
    Object.assign(converted, listed?.members, this.#convertChildren(schema, types, trail));
    if (isNull || listed?.nullable || schema.nullable === true) converted.nullable = true;
    const joined = this.#addAlternatives(schema, requireKnown(converted), trail);
    const given = DESCRIBED.filter(
      (name) => schema[name] !== undefined && !(name === 'format' && takesFormat),
    );
    return describe(schema, joined, [
      ...given.map((name): [string, JsonValue] => [name, schema[name] ?? null]),
      ...(listed?.given ? [['one of', listed.given] as [string, JsonValue]] : []),
    ]);
  }

  #convertChildren(schema: RawSchema, type: string | undefined, trail: readonly RawSchema[]): RawSchema {
    const children: RawSchema = {};
    const { properties, required, items, prefixItems, propertyOrdering } = schema;
    if (isObject(properties) && Object.keys(properties).length > 0) {
      const entries = Object.entries(properties).map(([name, value]) => [
        name,
        this.#convertValue(value, trail),
      ]);
      children.properties = Object.fromEntries(entries) as Members<JsonSchema['properties']>;
      if (isArray(required)) children.required = required;
      if (isArray(propertyOrdering)) children.propertyOrdering = propertyOrdering;
    }
    if (type !== 'array') return children;
    const tuple = isArray(prefixItems) ? prefixItems : isArray(items) ? items : undefined;
    if (tuple) children.items = toAnyOf(tuple.map((item) => this.#convertValue(item, trail)));
    // Google refuses an array without an item type.
    else children.items = isObject(items) ? this.convert(items, trail) : { type: 'string' };
    return children;
  }

  #convertValue(value: JsonValue | undefined, trail: readonly RawSchema[]): RawSchema {
    return isObject(value) ? this.convert(value, trail) : {};
  }

  /** `anyOf` and `oneOf`; an alternative that is only `null` makes the rest nullable. */
  #addAlternatives(schema: RawSchema, converted: RawSchema, trail: readonly RawSchema[]): RawSchema {
    const all = [...itemsOf(schema.anyOf), ...itemsOf(schema.oneOf)].filter(isObject);
    const real = all.filter((item) => item.type !== 'null');
    if (real.length < all.length) converted.nullable = true;
    return joinAlternatives(
      converted,
      real.map((item) => this.convert(item, trail)),
    );
  }
}

/**
 * The one type besides `null`, and whether `null` is allowed; the type of an untyped schema follows from its keywords.
 */
function readType(schema: RawSchema): [type: string | undefined, isNull: boolean] {
  const given = isArray(schema.type) ? schema.type : [schema.type];
  const type = given.find((item) => TYPES.has(item)) as string | undefined;
  if (type !== undefined || given.includes('null')) return [type, given.includes('null')];
  if (isObjectSchema(schema)) return ['object', false];
  return ['items' in schema || 'prefixItems' in schema ? 'array' : undefined, false];
}

function countTypes(types: JsonValue[]): number {
  return new Set(types.filter((type) => TYPES.has(type))).size;
}

/** The part of a multi-type schema that applies to one of its types. */
function pickFor(type: JsonValue, schema: RawSchema): RawSchema {
  const picked: RawSchema = { ...schema, type };
  if (type !== 'object') delete picked.properties;
  if (isArray(schema.enum))
    picked.enum = schema.enum.filter(
      (value) => typeof value === type || (type === 'integer' && Number.isInteger(value)),
    );
  if (isArray(picked.enum) && picked.enum.length === 0) delete picked.enum;
  return picked;
}

/** Google refuses required names without a property. */
function requireKnown(converted: RawSchema): RawSchema {
  const { properties, required } = converted;
  if (!isArray(required)) return converted;
  const known = required.filter(
    (name) => typeof name === 'string' && isObject(properties) && Object.hasOwn(properties, name),
  );
  if (known.length > 0) converted.required = [...new Set(known)];
  else delete converted.required;
  return converted;
}

function describe(schema: RawSchema, converted: RawSchema, given: [string, JsonValue][]): RawSchema {
  const texts = given
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .filter((text) => text.length <= MOST_DESCRIBED);
  const own = schema.description ?? converted.description;
  const start = typeof own === 'string' ? own : '';
  const description = texts.length > 0 ? `${start} (${texts.join(', ')})`.trim() : start;
  if (description !== '') converted.description = description;
  return converted;
}

function toAnyOf(schemas: RawSchema[]): RawSchema {
  const [first] = schemas;
  return schemas.length === 1 && first ? first : { anyOf: schemas };
}
