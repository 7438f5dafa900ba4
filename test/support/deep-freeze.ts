import type { JsonValue } from '#base';

/** Freezes a value deeply: writing to it throws. */
export function deepFreeze<Value extends JsonValue | undefined>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
