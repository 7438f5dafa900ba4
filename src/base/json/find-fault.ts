import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { fitsSchema } from './fits-schema.ts';
import { isJsonObject } from './json.ts';

/** The first violation of a schema in a value. */
interface Fault {
  keyword: string;
  /** Keys and indexes that lead to the violation. */
  path: readonly string[];
  message: string;
  /** Missing properties, for `required`. */
  missing?: readonly string[];
  /** Accepted values, for `enum`. */
  allowed?: readonly string[];
  /** The properties that are known, where one is not. */
  known?: readonly string[];
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
 * Finds the first violation of a schema. Checks an array's size before its items, and reports only the first violation
 * of each alternative: the cost does not grow with the number of violations, unlike typebox's list of all errors.
 */
export function findFault(schema: TSchema, value: unknown): Fault | undefined {
  return findAt(schema, value, []);
}

function findAt(schema: Schema, value: unknown, path: Path): Fault | undefined {
  if (schema.anyOf) return findInChoice(schema.anyOf, value, path);
  if (Array.isArray(value) && schema.items) return findInArray(schema, value, path);
  if (isJsonObject(value) && (schema.properties ?? schema.patternProperties))
    return findInObject(schema, value, path);
  return findHere(schema, value, path);
}

/** The first of typebox's errors for a value on its own. */
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
  const index = value.findIndex((item) => !fitsSchema(items as TSchema, item));
  return index === -1 ? undefined : findAt(items, value[index], [...path, String(index)]);
}

/** Reports an unknown member before a missing one: it is often the same member, misspelt. */
function findInObject(schema: Schema, value: Record<string, unknown>, path: Path): Fault | undefined {
  const { properties = {}, required = [] } = schema;
  for (const key in value) {
    if (Object.hasOwn(properties, key) || findSchemaOf(schema, key)) continue;
    if (schema.additionalProperties === false)
      return {
        keyword: 'boolean',
        path: [...path, key],
        message: 'is not known',
        known: Object.keys(properties),
      };
  }
  const missing = required.filter((key) => !Object.hasOwn(value, key));
  if (missing.length > 0) return { keyword: 'required', path, message: 'is required', missing };
  for (const key in value) {
    const inner = Object.hasOwn(properties, key) ? properties[key] : findSchemaOf(schema, key);
    if (!inner || value[key] === undefined || fitsSchema(inner as TSchema, value[key])) continue;
    return findAt(inner, value[key], [...path, key]);
  }
  return undefined;
}

/** The schema for members that are not listed by name. */
function findSchemaOf(
  { patternProperties = {}, additionalProperties }: Schema,
  key: string,
): Schema | undefined {
  for (const pattern in patternProperties)
    if (new RegExp(pattern, 'u').test(key)) return patternProperties[pattern];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/**
 * Of several alternatives, the one that matches deepest was probably meant; if the value has the right shape but
 * violates a bound, that one.
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
