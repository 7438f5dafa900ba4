import type { JsonObject } from '#base';
import type { MediaInput } from './contract.ts';
import { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import { namePlace } from '#base';
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
    throw toRefusal(value, validator.Errors(value));
  };
}

interface SchemaError {
  keyword: string;
  instancePath: string;
  message: string;
  params?: unknown;
}

/** What an error tells besides its message, by its keyword. */
interface SchemaHints {
  requiredProperties?: string[];
  allowedValues?: string[];
}

function toRefusal(value: unknown, errors: readonly SchemaError[]): GatewayError {
  // The first names the place; what stands deepest is nearest to the fault. Of several shapes that a value may have, the one
  // whose bounds it misses is the one that was meant.
  const [first] = [...errors].sort((a, b) => depthOf(b) - depthOf(a));
  const { requiredProperties, allowedValues } = (first?.params ?? {}) as SchemaHints;
  const missing = requiredProperties?.[0];
  const place = namePlace(value, first?.instancePath ?? '');
  const param = [place, missing ?? ''].filter((step) => step !== '').join('.');
  const wrong = allowedValues ? `must be one of ${allowedValues.join(', ')}` : first?.message;
  const complaint = missing === undefined ? (wrong ?? 'is not valid') : 'is required';
  return new GatewayError('invalid_request', `${param === '' ? 'the body' : param}: ${complaint}`, {
    ...(param !== '' && { param }),
  });
}

const BOUND = /^(?:min|max)/;
const DEEPEST = 1_000;

function depthOf({ instancePath, keyword }: SchemaError): number {
  const depth = instancePath.split('/').length * 2 - (keyword === 'anyOf' ? 1 : 0);
  return BOUND.test(keyword) ? depth + DEEPEST : depth;
}

/** Refuses a request for what stands at `path`. */
export function refuse(path: string, complaint: string): never {
  throw new GatewayError('invalid_request', `${path}: ${complaint}`, { param: path });
}

/** Refuses what a provider cannot be told. */
export function refuseFeature(path: string, complaint: string): never {
  throw new GatewayError('unsupported_feature', `${path}: ${complaint}`, { param: path });
}
