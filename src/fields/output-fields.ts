import type { JsonObject } from '#base';
import { type TObject, type TSchema, Type } from 'typebox';
import { type OutputType, wireNameOf } from './field-type.ts';

/** The members of a response by the names of the record. */
export type OutputFields = Readonly<{ [name: string]: OutputType<unknown> }>;

/** A member of a response that is derived from the record. */
interface DerivedField<Thing> extends OutputType<unknown> {
  of(record: Thing): unknown;
}

/** Each member must be a member of the record, with its type, or be derived from it. */
type FieldsOf<Thing, Fields> = {
  [Name in keyof Fields]: Name extends keyof Thing
    ? OutputType<Exclude<Thing[Name], undefined>> | DerivedField<Thing>
    : DerivedField<Thing>;
};

/** A value that is derived from the record. */
export const derived = <Thing, Value>(
  type: OutputType<NoInfer<Value>>,
  of: (record: Thing) => Value | undefined,
): DerivedField<Thing> & OutputType<Value> => ({ ...type, of });

/** Members that several objects with the members of `Thing` have. */
export const membersOf =
  <Thing>() =>
  <const Fields extends FieldsOf<Thing, Fields>>(fields: Fields): Fields =>
    fields;

interface ObjectFacts {
  /** The value of its member `object`. */
  name?: string;
  title?: string;
  description?: string;
}

/** The type of an object in responses. */
export interface ObjectType<Thing> extends OutputType<Thing> {
  encode(value: Thing, isOperator?: boolean): JsonObject;
}

/** An object with members of the record, or derived from it. */
export const objectOf =
  <Thing>() =>
  <const Fields extends FieldsOf<Thing, Fields>>(
    fields: Fields,
    { name, ...facts }: ObjectFacts = {},
  ): ObjectType<Thing> => {
    const head = name === undefined ? {} : { object: name };
    const encode = createEncoder(fields, head);
    return {
      valueKind: 'object',
      answer: Type.Object(
        {
          ...(name !== undefined && { object: Type.Literal(name) }),
          ...describeFields(fields as OutputFields),
        },
        facts,
      ),
      encode: (value, isOperator = false) => encode(value, isOperator),
    };
  };

interface CompiledField {
  wireName: string;
  name: string;
  of: DerivedField<unknown>['of'] | undefined;
  type: OutputType<unknown>;
  isOmitted: boolean;
  isForOperator: boolean;
}

/** Computed once, because lists and exports encode dozens of members for each row. */
const compileFields = (fields: OutputFields): CompiledField[] =>
  Object.entries(fields).map(([name, type]) => ({
    wireName: wireNameOf(name, type),
    name,
    of: isDerived(type) ? type.of : undefined,
    type,
    isOmitted: type.isOptional === true,
    isForOperator: type.isForOperator === true,
  }));

type Encode = (record: unknown, isOperator: boolean) => JsonObject;

/** Encodes the members after the ones in `head`. */
function createEncoder(fields: OutputFields, head: JsonObject = {}): Encode {
  const compiled = compileFields(fields);
  return (record, isOperator) => {
    const answer: JsonObject = { ...head };
    for (const { wireName, name, of, type, isOmitted, isForOperator } of compiled) {
      if (isForOperator && !isOperator) continue;
      const value = of ? of(record) : (record as { [name: string]: unknown })[name];
      if (value === undefined && isOmitted) continue;
      answer[wireName] = type.encode(value ?? null, isOperator);
    }
    return answer;
  };
}

const isDerived = (type: OutputType<unknown>): type is DerivedField<unknown> => 'of' in type;

/** The members as JSON. */
export const encodeFields = (fields: OutputFields, record: unknown): JsonObject =>
  createEncoder(fields)(record, false);

/** The schemas of the members. */
export function describeFields(fields: OutputFields): Record<string, TSchema> {
  return Object.fromEntries<TSchema>(
    Object.entries(fields).map(([name, type]) => [wireNameOf(name, type), type.answer]),
  );
}

/** A list in responses. */
export const listOf = <Value>(
  type: OutputType<Value>,
  description?: string,
): OutputType<readonly Value[]> => ({
  valueKind: 'object',
  answer: Type.Array(type.answer, description === undefined ? {} : { description }),
  encode: (values, isOperator) => values.map((value) => type.encode(value, isOperator)),
});

/** A type whose values are converted before they are encoded. */
export const converted = <From, To>(
  type: ObjectType<To>,
  convert: (value: From) => To,
): ObjectType<From> => ({
  ...type,
  encode: (value, isOperator) => type.encode(convert(value), isOperator),
});

/** An answer that is a list without pages. */
export const wholeList = <Row>(row: OutputType<Row>): ObjectType<readonly Row[]> =>
  objectOf<readonly Row[]>()(
    { data: derived(listOf(row), (rows: readonly Row[]) => rows) },
    { name: 'list' },
  );

/** The first `most` records of a list. */
export function encodeList(found: readonly JsonObject[], most: number): JsonObject {
  const data = found.slice(0, most);
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: found.length > data.length,
  };
}

/** The schema of a page; its `last_id` leads to the next one. */
export function createListSchema(item: TSchema): TObject {
  return Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    first_id: Type.Union([Type.String(), Type.Null()]),
    last_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The value of `after` for the next page.',
    }),
    has_more: Type.Boolean(),
  });
}
