import type { MediaInput } from './contract.ts';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type JsonObject, type JsonValue, findFault, fitsSchema, isJsonObject, namePlace } from '#base';
import { GatewayError } from '#errors';

/** A validated body: the members of its schema, and no others. */
export type Judged<S extends TSchema> = Static<S> & JsonObject;

/** Accepted everywhere; `src/pipeline/price/` judges what it costs. */
export const serviceTier = Type.Optional(Type.String());

/**
 * Validates bodies by a schema; a null member is treated as absent, and form text is converted to its type. Members that
 * the schema does not name are dropped, because a provider could charge for them.
 */
export function createJudge<S extends TSchema>(schema: S): (input: MediaInput) => Judged<S> {
  return ({ body, isForm }) => {
    const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    const value = isForm ? convertText(schema, present) : present;
    if (fitsSchema(schema, value)) return keepKnown(schema, value) as Judged<S>;
    throw toRefusal(schema, value);
  };
}

/** Longer than any number or boolean; to read megabytes of digits as a number would block other requests for seconds. */
const LONGEST_CONVERTED = 100;

/** Converts the text of a form's members to the types of the schema. */
function convertText(schema: TSchema, members: JsonObject): JsonObject {
  const short = Object.entries(members).filter(
    ([, value]) => typeof value === 'string' && value.length <= LONGEST_CONVERTED,
  );
  return { ...members, ...(Value.Convert(schema, Object.fromEntries(short)) as JsonObject) };
}

/** Copies the members that a schema names. */
function keepKnown(schema: TSchema, value: JsonValue): JsonValue {
  if (Type.IsArray(schema) && Type.IsObject(schema.items) && Array.isArray(value))
    return value.map((item) => keepKnown(schema.items, item));
  if (!Type.IsObject(schema) || !isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const known = Object.entries(schema.properties).find(([each]) => each === baseName(name));
    if (known && member !== undefined) kept[name] = keepKnown(known[1], member);
  }
  return kept;
}

/** Forms write a member of an object as `name[member]`. */
function baseName(name: string): string {
  return name.split('[', 1)[0] ?? name;
}

function toRefusal(schema: TSchema, value: unknown): GatewayError {
  const { path = [], message = 'is not valid', missing, allowed } = findFault(schema, value) ?? {};
  const complaint = allowed ? `must be one of ${allowed.join(', ')}` : message;
  const param = namePlace(value, [...path, ...(missing ?? []).slice(0, 1)]);
  return new GatewayError('invalid_request', `${param === '' ? 'the body' : param}: ${complaint}`, {
    ...(param !== '' && { param }),
  });
}

/** Refuses a request because of the value at `path`. */
export function refuse(path: string, complaint: string): never {
  throw new GatewayError('invalid_request', `${path}: ${complaint}`, { param: path });
}

/** Refuses what a provider does not support. */
export function refuseFeature(path: string, complaint: string): never {
  throw new GatewayError('unsupported_feature', `${path}: ${complaint}`, { param: path });
}
