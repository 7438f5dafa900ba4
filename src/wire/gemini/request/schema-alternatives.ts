import type { JsonValue } from '#base';
import type { RawSchema } from '../../body/json-schema.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';

type Properties = RawSchema['properties'];

/** Keywords that Google accepts alongside `anyOf`; all others belong inside it. */
const BESIDE: ReadonlySet<string> = new Set<keyof RawSchema>(['title', 'description', 'nullable']);

/**
 * Combines a converted schema with its alternatives. A single one is merged into it; alternatives of an object with
 * properties become further properties, because Google refuses `anyOf` alongside them.
 */
export function joinAlternatives(base: RawSchema, alternatives: readonly RawSchema[]): RawSchema {
  const [only, ...others] = alternatives;
  if (!only) return base;
  if (others.length === 0) return joinSchemas([base, only]);
  // An empty alternative allows everything.
  if (alternatives.some((item) => Object.keys(item).length === 0)) return base;
  if (isObject(base.properties)) return widen(base, alternatives);
  const beside = Object.entries(base).filter(([name]) => BESIDE.has(name));
  const inside = Object.fromEntries(Object.entries(base).filter(([name]) => !BESIDE.has(name)));
  return { ...Object.fromEntries(beside), anyOf: alternatives.map((item) => ({ ...inside, ...item })) };
}

/** Merges schemas: properties and required names add up, otherwise the first value wins. */
export function joinSchemas(schemas: readonly RawSchema[]): RawSchema {
  const joined: RawSchema = {};
  for (const schema of schemas.toReversed()) Object.assign(joined, schema);
  const properties = joinProperties(schemas.map((schema) => schema.properties));
  const required = new Set(schemas.flatMap((schema) => itemsOf(schema.required)));
  if (properties) joined.properties = properties;
  if (required.size > 0) joined.required = [...required];
  return joined;
}

/** One object with the properties of all alternatives; only names that all of them require are required. */
export function widen(base: RawSchema, alternatives: readonly RawSchema[]): RawSchema {
  const objects = alternatives.filter((item) => isObject(item.properties));
  if (objects.length === 0) return base;
  const [first, ...others] = objects.map((item) => new Set(itemsOf(item.required)));
  const common = [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
  const required = objects.length === alternatives.length ? common : [];
  const properties = joinProperties([base.properties, ...objects.map((item) => item.properties)]);
  const all = [...new Set([...itemsOf(base.required), ...required])];
  return {
    ...base,
    type: 'object',
    ...(properties && { properties }),
    ...(all.length > 0 && { required: all }),
  };
}

function joinProperties(lists: readonly Properties[]): Properties | undefined {
  const known = lists.filter(isObject);
  if (known.length < 2) return known[0];
  const joined = new Map<string, JsonValue | undefined>();
  for (const [name, value] of known.flatMap((properties) => Object.entries(properties)))
    if (!joined.has(name)) joined.set(name, value);
  return Object.fromEntries(joined);
}
