import type { MediaInput } from './contract.ts';
import { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import { type JsonObject, findFault, namePlace } from '#base';
import { GatewayError } from '#errors';

/** A body that was judged: the members its schema names are of its types, all others are as they came. */
export type Judged<S extends TSchema> = Static<S> & JsonObject;

/** Judges bodies by a schema; a member that is null is as good as absent, and the text of a form becomes what it stands for. */
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

/** Refuses a request for what stands at `path`. */
export function refuse(path: string, complaint: string): never {
  throw new GatewayError('invalid_request', `${path}: ${complaint}`, { param: path });
}

/** Refuses what a provider cannot be told. */
export function refuseFeature(path: string, complaint: string): never {
  throw new GatewayError('unsupported_feature', `${path}: ${complaint}`, { param: path });
}
