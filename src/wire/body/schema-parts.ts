import type { JsonObject, JsonValue } from '#base';
import { type TLiteral, type TSchema, type TUnion, Type } from 'typebox';

/** Options of an object whose unknown members are kept. */
export const open = { additionalProperties: true };
export const anyObject = Type.Unsafe<JsonObject>(Type.Object({}, open));
/** The length of a conversation. */
export const turnCount = { minItems: 1, maxItems: 100_000 };
/** Forwarded unchanged. */
export const carried = Type.Optional(Type.Unsafe<JsonValue>(Type.Unknown()));

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(nullable(schema));
}

type Literals<Words extends readonly string[]> = { [At in keyof Words]: TLiteral<Words[At] & string> };

/** One of a closed list of words; its static type is their union. */
export function words<const Words extends readonly string[]>(...list: Words): TUnion<[...Literals<Words>]> {
  return Type.Union(list.map((word) => Type.Literal(word))) as TUnion as TUnion<[...Literals<Words>]>;
}
