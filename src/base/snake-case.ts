import type { JsonObject } from './json.ts';

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
