import { type JsonObject, type JsonValue, isJsonObject } from '#base';

/** Keywords that Google accepts beside `anyOf`; all others belong inside it. */
const BESIDE: ReadonlySet<string> = new Set(['title', 'description', 'nullable']);

/**
 * Combines a converted schema with its alternatives. A single one is merged into it; alternatives of an object with
 * properties become further properties, because Google refuses `anyOf` beside them.
 */
export function joinAlternatives(base: JsonObject, alternatives: readonly JsonObject[]): JsonObject {
  const [only, ...others] = alternatives;
  if (!only) return base;
  if (others.length === 0) return joinSchemas(base, only);
  // An empty alternative allows everything.
  if (alternatives.some((item) => Object.keys(item).length === 0)) return base;
  if (isJsonObject(base['properties'])) return widen(base, alternatives);
  const beside = Object.entries(base).filter(([name]) => BESIDE.has(name));
  const inside = Object.fromEntries(Object.entries(base).filter(([name]) => !BESIDE.has(name)));
  return { ...Object.fromEntries(beside), anyOf: alternatives.map((item) => ({ ...inside, ...item })) };
}

/** Merges both schemas: properties and required names add up, otherwise the first value wins. */
export function joinSchemas(left: JsonObject, right: JsonObject): JsonObject {
  const joined: JsonObject = { ...right, ...left };
  const properties = joinObjects(left['properties'], right['properties']);
  const required = [...listOf(left['required']), ...listOf(right['required'])];
  if (properties) joined['properties'] = properties;
  if (required.length > 0) joined['required'] = [...new Set(required)];
  return joined;
}

/** One object with the properties of all alternatives; only names that all of them require are required. */
export function widen(base: JsonObject, alternatives: readonly JsonObject[]): JsonObject {
  const objects = alternatives.filter((item) => isJsonObject(item['properties']));
  if (objects.length === 0) return base;
  const [first, ...others] = objects.map((item) => listOf(item['required']));
  const common = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
  const required = objects.length === alternatives.length ? common : [];
  const properties = objects.map((item) => item['properties']).reduce(joinObjects, base['properties']);
  const all = [...new Set([...listOf(base['required']), ...required])];
  return {
    ...base,
    type: 'object',
    ...(properties && { properties }),
    ...(all.length > 0 && { required: all }),
  };
}

function joinObjects(left: JsonValue | undefined, right: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(left)) return isJsonObject(right) ? right : undefined;
  return isJsonObject(right)
    ? Object.fromEntries([
        ...Object.entries(left),
        ...Object.entries(right).filter(([name]) => !Object.hasOwn(left, name)),
      ])
    : left;
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
