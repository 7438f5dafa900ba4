import type { JsonObject, JsonValue } from './json/json.ts';
import { type PicoUsd, formatUsd } from './money.ts';

/** `inputCacheWrite5m` → `input_cache_write_5m`, as a type. */
export type SnakeCase<Name extends string> = string extends Name
  ? string
  : Name extends `${infer First}${infer Rest}`
    ? `${SnakeLetter<First>}${SnakeCase<Rest>}`
    : '';

type SnakeLetter<Letter extends string> = Letter extends `${number}`
  ? `_${Letter}`
  : Letter extends Lowercase<Letter>
    ? Letter
    : `_${Lowercase<Letter>}`;

/** The name of a member in JSON, or of its column. */
export function toSnakeCase<Name extends string>(name: Name): SnakeCase<Name> {
  return name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`) as SnakeCase<Name>;
}

/** The same members under their names in JSON. */
export function toSnakeCaseMembers(members: object): JsonObject {
  return Object.fromEntries(
    Object.entries(members as JsonObject).map(([name, value]) => [toSnakeCase(name), value]),
  );
}

type Encodable = JsonValue | readonly string[] | PicoUsd | undefined;
type EncodableName<Holder> = {
  [Name in keyof Holder]-?: Holder[Name] extends Encodable ? Name & string : never;
}[keyof Holder];
type Encoded<Value> = Value extends PicoUsd
  ? string
  : Value extends undefined
    ? null
    : Value extends readonly string[]
      ? string[]
      : Value;

/** The named members as JSON, in this order: amounts in USD, null for what is absent. */
export function encodeMembers<Holder extends object, Name extends EncodableName<Holder>>(
  holder: Holder,
  names: readonly Name[],
): { [Each in Name as SnakeCase<Each>]: Encoded<Holder[Each]> } {
  const encoded: JsonObject = {};
  for (const name of names) {
    const value = holder[name] as Encodable;
    encoded[findWireName(name)] =
      typeof value === 'bigint' ? formatUsd(value) : ((value ?? null) as JsonValue);
  }
  return encoded as never;
}

const WIRE_NAMES = new Map<string, string>();

/** Remembered: names are those in code, so few, and every row of a list or an export has dozens. */
function findWireName(name: string): string {
  const known = WIRE_NAMES.get(name) ?? toSnakeCase(name);
  WIRE_NAMES.set(name, known);
  return known;
}
