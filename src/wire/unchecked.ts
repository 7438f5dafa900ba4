import type { JsonObject, JsonValue } from '#base';

/**
 * JSON that should be a `T` and is not checked yet. Every JSON value is assignable to it, so a reader has to look at each
 * value before its use; but its objects have the members of `T` and no others, so a misspelt one does not compile.
 * Exists in types alone: it costs nothing at run time.
 */
export type Unchecked<T> =
  | string
  | number
  | boolean
  | null
  | ([ItemOf<T>] extends [never] ? JsonValue[] : Unchecked<ItemOf<T>>[])
  | Members<T>;

/** The same of a value that is known to be an object: its members, of a union those of all alternatives. */
export type Members<T> = [NameOf<ObjectOf<T>>] extends [never]
  ? JsonObject
  : { [Name in NameOf<ObjectOf<T>>]?: Unchecked<MemberOf<ObjectOf<T>, Name>> | undefined };

/** The part of a type that is an object, as `isJsonObject` says it. */
export type ObjectOf<T> = T extends readonly unknown[] ? never : T extends object ? T : never;

/** The part of a type that is an array. */
export type ArrayOf<T> = Extract<T, readonly unknown[]>;

/** What an array holds. */
export type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;
type NameOf<T> = T extends unknown ? keyof T & string : never;
type MemberOf<T, Name extends string> = T extends { [Key in Name]?: infer Value } ? Value : never;
