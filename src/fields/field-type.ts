import { type JsonValue, toSnakeCase } from '#base';
import { type TSchema, Type } from 'typebox';

/** The kind of a value; the command line has a parser and a format for each. */
export type ValueKind =
  | 'count'
  | 'end'
  | 'flag'
  | 'parsed'
  | 'price'
  | 'rateLimits'
  | 'recurringLimit'
  | 'routing'
  | 'seconds'
  | 'secret'
  | 'text'
  | 'texts'
  | 'time'
  | 'usd'
  | 'word';

/** The resource that an id refers to: its name, or the member of the same input that contains the name. */
export type Reference = string | { member: string };

/** The type of a value in responses. */
export interface OutputType<Value> {
  valueKind: ValueKind | 'object';
  /** The schema in responses. */
  answer: TSchema;
  /** `isOperator`: whether the reader may see what providers charge. */
  encode(value: Value, isOperator?: boolean): JsonValue;
  /** Its name in JSON, if other than the member's name in snake case. */
  wireName?: string;
  isOptional?: boolean;
  /** Omitted for everyone but the operator. */
  isForOperator?: boolean;
}

/** The type of a value in requests. */
export interface InputType<Value> {
  valueKind: ValueKind;
  /** The schema in requests; its description completes “must be …”. */
  input: TSchema;
  /** Decodes JSON that fits the schema; errors name `param`. */
  decode(json: JsonValue, param: string): Value;
  wireName?: string;
  /** An earlier name in JSON, which is refused with the present one. */
  formerly?: string;
  isNullable?: boolean;
  /** Bounds of a number, for the command line; of an amount, in pico-USD. */
  least?: number;
  most?: number;
  /** The closed list of values, if there is one. */
  choices?: readonly string[];
  /** For an id: the resource it refers to. */
  refersTo?: Reference;
}

/** The type of a value in requests and responses. */
export type FieldType<Value> = OutputType<Value> & InputType<Value>;

/** The same type under another name in JSON. */
export function named<Type extends { wireName?: string }>(wireName: string, type: Type): Type {
  return { ...type, wireName };
}

/** The same type for a member that had another name. */
export const formerly = <Value>(name: string, type: InputType<Value>): InputType<Value> => ({
  ...type,
  formerly: name,
});

/** In responses: `null` if the value is absent. */
export function nullableOutput<Value>(
  type: OutputType<Value>,
  description?: string,
): OutputType<Value | null> {
  return {
    ...type,
    answer: nullable(type.answer, description),
    encode: (value, isOperator) => (value === null ? null : type.encode(value, isOperator)),
  };
}

/** In responses: only for the operator. */
export const forOperator = <Value>(type: OutputType<Value>): OutputType<Value> => ({
  ...type,
  answer: Type.Optional(type.answer),
  isForOperator: true,
});

/** In responses: with another description. */
export const described = <Value>(description: string, type: OutputType<Value>): OutputType<Value> => ({
  ...type,
  answer: Type.Unsafe({ ...type.answer, description }),
});

/** In requests: `null` means none. */
export function nullableInput<Value>(type: InputType<Value>, description: string): InputType<Value | null> {
  return {
    ...type,
    isNullable: true,
    input: nullable(type.input, description),
    decode: (json, param) => (json === null ? null : type.decode(json, param)),
  };
}

/** In responses: omitted if the value is absent. */
export function optionalOutput<Value>(type: OutputType<Value>): OutputType<Value> {
  return { ...type, answer: Type.Optional(type.answer), isOptional: true };
}

function nullable(schema: TSchema, description: string | undefined): TSchema {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** An object schema that refuses other members. */
export function closedObject(members: Record<string, TSchema>): TSchema {
  return Type.Object(members, { additionalProperties: false });
}

/** The name of a member in JSON. */
export const wireNameOf = (name: string, { wireName }: { wireName?: string }): string =>
  wireName ?? toSnakeCase(name);
