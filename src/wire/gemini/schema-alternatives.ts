import type { JsonSchema } from '../body/json-schema.ts';
import { isObject, itemsOf } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';

type RawSchema = Members<JsonSchema>;
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
  if (others.length === 0) return joinSchemas(base, only);
  // An empty alternative allows everything.
  if (alternatives.some((item) => Object.keys(item).length === 0)) return base;
  if (isObject(base.properties)) return widen(base, alternatives);
  const beside = Object.entries(base).filter(([name]) => BESIDE.has(name));
  const inside = Object.fromEntries(Object.entries(base).filter(([name]) => !BESIDE.has(name)));
  return { ...Object.fromEntries(beside), anyOf: alternatives.map((item) => ({ ...inside, ...item })) };
}

/** Merges both schemas: properties and required names add up, otherwise the first value wins. */
export function joinSchemas(left: RawSchema, right: RawSchema): RawSchema {
  const joined: RawSchema = { ...right, ...left };
  const properties = joinObjects(left.properties, right.properties);
  const required = [...itemsOf(left.required), ...itemsOf(right.required)];
  if (properties) joined.properties = properties;
  if (required.length > 0) joined.required = [...new Set(required)];
  return joined;
}

/** One object with the properties of all alternatives; only names that all of them require are required. */
export function widen(base: RawSchema, alternatives: readonly RawSchema[]): RawSchema {
  const objects = alternatives.filter((item) => isObject(item.properties));
  if (objects.length === 0) return base;
  const [first, ...others] = objects.map((item) => itemsOf(item.required));
  const common = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
  const required = objects.length === alternatives.length ? common : [];
  const properties = objects.map((item) => item.properties).reduce(joinObjects, base.properties);
  const all = [...new Set([...itemsOf(base.required), ...required])];
  return {
    ...base,
    type: 'object',
    ...(properties && { properties }),
    ...(all.length > 0 && { required: all }),
  };
}

function joinObjects(left: Properties, right: Properties): Members<JsonSchema['properties']> | undefined {
  if (!isObject(left)) return isObject(right) ? right : undefined;
  return isObject(right)
    ? Object.fromEntries([
        ...Object.entries(left),
        ...Object.entries(right).filter(([name]) => !Object.hasOwn(left, name)),
      ])
    : left;
}
