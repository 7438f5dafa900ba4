import type { JsonObject, JsonValue } from '#base';

/**
 * JSON that should be a `T` and is not checked yet. Every JSON value is assignable to it, so a reader must check each
 * value before use; but its objects have only the members of `T`, so a misspelt one does not compile. Exists in types
 * alone.
 */
export type Unchecked<T> =
  | string
  | number
  | boolean
  | null
  | ([ItemOf<T>] extends [never] ? JsonValue[] : Unchecked<ItemOf<T>>[])
  | Members<T>;

/** The same for a value known to be an object; for a union, the members of all alternatives. */
export type Members<T> = [NameOf<ObjectOf<T>>] extends [never]
  ? JsonObject
  : string extends NameOf<ObjectOf<T>>
    ? JsonObject
    : { [Name in NameOf<ObjectOf<T>>]?: Unchecked<MemberOf<ObjectOf<T>, Name>> | undefined };

/** The object part of a type, as narrowed by `isJsonObject`. */
export type ObjectOf<T> = T extends readonly unknown[] ? never : T extends object ? T : never;

/** The array part of a type. */
export type ArrayOf<T> = Extract<T, readonly unknown[]>;

/** The item type of an array. */
export type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;
type NameOf<T> = T extends unknown ? keyof T & string : never;
type MemberOf<T, Name extends string> = T extends { [Key in Name]?: infer Value } ? Value : never;
