import type { MediaInput } from './contract.ts';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type JsonObject, type JsonValue, findFault, fitsSchema, isJsonObject, namePlace } from '#base';
import { GatewayError } from '#errors';

/** A validated body: the members of its schema, and no others. */
export type ValidatedBody<S extends TSchema> = Static<S> & JsonObject;

/** Accepted everywhere; `src/pipeline/price/` determines its price. */
export const serviceTier = Type.Optional(Type.String());

/**
 * Validates bodies by a schema; a null member is treated as absent, and form text is converted to its type. Members that
 * the schema does not name are dropped, because a provider could charge for them.
 */
export function createValidator<S extends TSchema>(schema: S): (input: MediaInput) => ValidatedBody<S> {
  return (input) => {
    const { body, isForm } = input;
    const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    const value = isForm ? convertText(schema, present) : present;
    if (fitsSchema(schema, value)) return keepKnown(schema, value, isForm) as ValidatedBody<S>;
    throw toRefusal(schema, value, input);
  };
}

/** Longer than any number or boolean; to read megabytes of digits as a number would block other requests for seconds. */
const LONGEST_CONVERTED = 100;

/** Converts the text of a form's members to the types of the schema. */
function convertText(schema: TSchema, members: JsonObject): JsonObject {
  const read = Object.entries(members).filter(([name, value]) => isReadable(findMember(schema, name), value));
  return { ...members, ...(Value.Convert(schema, Object.fromEntries(read)) as JsonObject) };
}

const INTEGER = /^\s*-?\d+(?:\.0*)?\s*$/;
const NUMBER = /^\s*-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Whether text may be converted: typebox would cut 2.5 to an integer and read nothing as 0. */
function isReadable(schema: TSchema | undefined, value: JsonValue | undefined): boolean {
  if (typeof value !== 'string' || value.length > LONGEST_CONVERTED) return false;
  if (schema && Type.IsInteger(schema)) return INTEGER.test(value);
  return !schema || !Type.IsNumber(schema) || NUMBER.test(value);
}

function findMember(schema: TSchema, name: string): TSchema | undefined {
  return Type.IsObject(schema) && Object.hasOwn(schema.properties, name)
    ? schema.properties[name]
    : undefined;
}

/** Copies the members that a schema names. */
function keepKnown(schema: TSchema, value: JsonValue, isForm: boolean): JsonValue {
  if (Type.IsArray(schema) && Type.IsObject(schema.items) && Array.isArray(value))
    return value.map((item) => keepKnown(schema.items, item, isForm));
  if (!Type.IsObject(schema) || !isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const known = findMember(schema, name) ?? (isForm ? findOwner(schema, name) : undefined);
    if (known && member !== undefined) kept[name] = keepKnown(known, member, isForm);
  }
  return kept;
}

/** Forms write a member of an object as `name[member]`; a provider may read that of a plain value as the value. */
function findOwner(schema: TSchema, name: string): TSchema | undefined {
  const owner = findMember(schema, name.split('[', 1)[0] ?? name);
  return owner && Type.IsUnknown(owner) ? owner : undefined;
}

function toRefusal(schema: TSchema, value: JsonObject, { isForm, files }: MediaInput): GatewayError {
  const { path = [], message = 'is not valid', missing, allowed } = findFault(schema, value) ?? {};
  const param = namePlace(value, [...path, ...(missing ?? []).slice(0, 1)]);
  const complaint = allowed ? `must be one of ${allowed.join(', ')}` : message;
  const misplaced = isForm ? describeMisplaced(value[param], files.has(param)) : undefined;
  return new GatewayError(
    'invalid_request',
    `${param === '' ? 'the body' : param}: ${misplaced ?? complaint}`,
    { ...(param !== '' && { param }) },
  );
}

/** The usual mistakes in a form. */
function describeMisplaced(value: JsonValue | undefined, isFile: boolean): string | undefined {
  if (Array.isArray(value)) return 'must be given once';
  return isFile && value === undefined ? 'must be text, not a file' : undefined;
}
