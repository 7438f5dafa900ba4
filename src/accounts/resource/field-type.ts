import type { JsonValue } from '#base';
import { type TSchema, Type } from 'typebox';

/** How a value is typed on a command line and shown in a table; the command line has a reader and a format for each. */
export type Typed =
  | 'count'
  | 'end'
  | 'flag'
  | 'price'
  | 'rateLimits'
  | 'recurringLimit'
  | 'seconds'
  | 'secret'
  | 'text'
  | 'texts'
  | 'time'
  | 'usd'
  | 'word';

/** The resource that an id is of: by its name, or by the member of the same input that has the name. */
export type Names = string | { member: string };

/** What an answer says of a value. */
export interface ShownType<Value> {
  typed: Typed;
  /** The schema in answers. */
  answer: TSchema;
  encode(value: Value): JsonValue;
  /** Its name in JSON, where that is not the member's in snake case. */
  wireName?: string;
  isOptional?: boolean;
}

/** What a request says of a value. */
export interface InputType<Value> {
  typed: Typed;
  /** The schema in requests; its description completes “must be …”. */
  input: TSchema;
  /** The value of JSON that fits the schema; `param` is what an error names. */
  decode(json: JsonValue, param: string): Value;
  wireName?: string;
  isNullable?: boolean;
  /** Bounds of a number that is typed. */
  least?: number;
  most?: number;
  /** All that a word may be. */
  words?: readonly string[];
  /** Of an id: what it is the id of. */
  names?: Names;
}

/** A type of value that requests and answers have. */
export type FieldType<Value> = ShownType<Value> & InputType<Value>;

/** `inputCacheWrite5m` → `input_cache_write_5m` */
export function toWireName(name: string): string {
  return name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`);
}

/** The same type under another name in JSON. */
export function named<Type extends { wireName?: string }>(wireName: string, type: Type): Type {
  return { ...type, wireName };
}

/** In answers: `null` where the value is absent. */
export function orNull<Value>(type: ShownType<Value>, description?: string): ShownType<Value | null> {
  return {
    ...type,
    answer: nullable(type.answer, description),
    encode: (value) => (value === null ? null : type.encode(value)),
  };
}

/** In requests: `null` means none. */
export function orNone<Value>(type: InputType<Value>, description: string): InputType<Value | null> {
  return {
    ...type,
    isNullable: true,
    input: nullable(type.input, description),
    decode: (json, param) => (json === null ? null : type.decode(json, param)),
  };
}

/** In answers: left out where the value is absent. */
export function whereKnown<Value>(type: ShownType<Value>): ShownType<Value> {
  return { ...type, answer: Type.Optional(type.answer), isOptional: true };
}

function nullable(schema: TSchema, description: string | undefined): TSchema {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** A schema that takes nothing but its members. */
export function closed(members: Record<string, TSchema>): TSchema {
  return Type.Object(members, { additionalProperties: false });
}
