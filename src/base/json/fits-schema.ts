import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

type Check = (value: unknown) => boolean;

const checks = new WeakMap<TSchema, Check>();

/**
 * Whether a value fits a schema, by a compiled check: a valid value costs almost nothing, where collecting typebox's errors
 * takes a microsecond even if there are none. Compiled with its first value, because a command and a start use few of the
 * schemas that their modules define.
 */
export function fitsSchema<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  let check = checks.get(schema);
  if (!check) {
    const validator = Compile(schema as TSchema);
    check = (candidate) => validator.Check(candidate);
    checks.set(schema, check);
  }
  return check(value);
}
