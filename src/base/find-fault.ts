import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';

/** The first thing that is wrong with a value. */
export interface Fault {
  keyword: string;
  /** Where it is: keys and indexes. */
  path: readonly string[];
  message: string;
  /** Properties that are missing, for `required`. */
  missing?: readonly string[];
  /** What is accepted, for `enum`. */
  allowed?: readonly string[];
}

interface Schema {
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
}

type Path = readonly string[];

/**
 * Finds the first fault of a value that does not fit its schema. Looks at the size of an array before its items, and no
 * further than the first fault of each alternative: the cost does not grow with the number of faults, as it does for
 * typebox's list of all errors.
 */
export function findFault(schema: TSchema, value: unknown): Fault | undefined {
  return findAt(schema, value, []);
}

function findAt(schema: Schema, value: unknown, path: Path): Fault | undefined {
  if (schema.anyOf) return findInChoice(schema.anyOf, value, path);
  if (Array.isArray(value) && schema.items) return findInArray(schema, value, path);
  if (isObject(value) && (schema.properties ?? schema.patternProperties))
    return findInObject(schema, value, path);
  return findHere(schema, value, path);
}

/** What typebox says about a value alone. */
function findHere(schema: Schema, value: unknown, path: Path): Fault | undefined {
  const [error] = Value.Errors(schema as TSchema, value);
  if (!error) return undefined;
  const { allowedValues } = error.params as { allowedValues?: unknown[] };
  const { keyword, message } = error;
  return { keyword, path, message, ...(allowedValues && { allowed: allowedValues.map(String) }) };
}

function findInArray(
  { items = {}, minItems = 0, maxItems = Infinity }: Schema,
  value: readonly unknown[],
  path: Path,
): Fault | undefined {
  const count = value.length;
  if (count < minItems)
    return { keyword: 'minItems', path, message: `must not have fewer than ${minItems} items` };
  if (count > maxItems)
    return {
      keyword: 'maxItems',
      path,
      message: `must not have more than ${maxItems} items; it has ${count}`,
    };
  const fits = getCheck(items);
  const index = value.findIndex((item) => !fits(item));
  return index === -1 ? undefined : findAt(items, value[index], [...path, String(index)]);
}

const checks = new WeakMap<Schema, (value: unknown) => boolean>();

/** A compiled check: an item that fits costs next to nothing, where typebox's errors take a microsecond to find none. */
function getCheck(schema: Schema): (value: unknown) => boolean {
  const known = checks.get(schema);
  if (known) return known;
  const validator = Compile(schema as TSchema);
  const check = (value: unknown): boolean => validator.Check(value);
  checks.set(schema, check);
  return check;
}

/** A member that is not known says more than one that is missing: it is often the same, misspelt. */
function findInObject(schema: Schema, value: Record<string, unknown>, path: Path): Fault | undefined {
  const { properties = {}, required = [] } = schema;
  for (const key in value) {
    if (Object.hasOwn(properties, key) || findSchemaOf(schema, key)) continue;
    if (schema.additionalProperties === false)
      return { keyword: 'boolean', path: [...path, key], message: 'is not known' };
  }
  const missing = required.filter((key) => !Object.hasOwn(value, key));
  if (missing.length > 0) return { keyword: 'required', path, message: 'is required', missing };
  for (const key in value) {
    const inner = Object.hasOwn(properties, key) ? properties[key] : findSchemaOf(schema, key);
    if (!inner || value[key] === undefined || getCheck(inner)(value[key])) continue;
    return findAt(inner, value[key], [...path, key]);
  }
  return undefined;
}

/** The schema of members that are not listed by name. */
function findSchemaOf(
  { patternProperties = {}, additionalProperties }: Schema,
  key: string,
): Schema | undefined {
  for (const pattern in patternProperties)
    if (new RegExp(pattern, 'u').test(key)) return patternProperties[pattern];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/**
 * Of several shapes that a value may have, the one that fits deepest was meant; where a value has the right shape but misses
 * its bounds, that one.
 */
function findInChoice(choices: readonly Schema[], value: unknown, path: Path): Fault | undefined {
  let meant: Fault | undefined;
  for (const choice of choices) {
    const fault = findAt(choice, value, path);
    if (!fault) return undefined;
    if (!meant || depthOf(fault) > depthOf(meant)) meant = fault;
  }
  return meant;
}

const BOUND = /^(?:min|max)/;
const DEEPEST = 1_000;

function depthOf({ path, keyword }: Fault): number {
  return BOUND.test(keyword) ? path.length + DEEPEST : path.length;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
