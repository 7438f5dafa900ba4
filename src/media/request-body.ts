import type { MediaInput } from './contract.ts';
import { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import { type JsonObject, findFault, namePlace } from '#base';
import { GatewayError } from '#errors';

/** A validated body: members in its schema have their types, all others are unchanged. */
export type Judged<S extends TSchema> = Static<S> & JsonObject;

/** Validates bodies by a schema; a null member is treated as absent, and form text is converted to its type. */
export function createJudge<S extends TSchema>(schema: S): (input: MediaInput) => Judged<S> {
  const validator = Compile(schema);
  return ({ body, isForm }) => {
    const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    const value = isForm ? Value.Convert(schema, present) : present;
    if (validator.Check(value)) return value;
    throw toRefusal(schema, value);
  };
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
