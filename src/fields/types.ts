import {
  type JsonObject,
  type JsonValue,
  type PicoUsd,
  formatUsd,
  parseMoment,
  parseUsd,
  writeDecimal,
} from '#base';
import { createInvalid } from '#errors';
import { Type } from 'typebox';
import { type FieldType, type InputType, type OutputType, nullableOutput } from './field-type.ts';

/** A text; `expected` completes “must be …” in requests, `description` describes it in responses. */
export function text(expected = 'a text', description?: string): FieldType<string> {
  return {
    valueKind: 'text',
    input: Type.String({ description: expected }),
    answer: Type.String(description === undefined ? {} : { description }),
    decode: String,
    encode: (value) => value,
  };
}

/** A text in responses. */
export const outputText = (description?: string): FieldType<string> => text(undefined, description);

export function flag(expected: string, description?: string): FieldType<boolean> {
  return {
    valueKind: 'flag',
    input: Type.Boolean({ description: expected }),
    answer: Type.Boolean(description === undefined ? {} : { description }),
    decode: Boolean,
    encode: (value) => value,
  };
}

/** A filter with the value `true`. */
export const isTrue: InputType<boolean> = { ...flag(''), decode: (json) => json === 'true' };

/** One of a closed list of values. */
export function choice<const Word extends string>(choices: readonly Word[]): FieldType<Word> {
  return {
    valueKind: 'word',
    choices,
    input: Type.Unsafe<Word>({
      type: 'string',
      enum: [...choices],
      description: `one of ${choices.join(', ')}`,
    }),
    answer: Type.Enum([...choices]),
    decode: (json, param) => {
      const known = choices.find((word) => word === json);
      if (known === undefined) throw createInvalid(param, `one of ${choices.join(', ')}`);
      return known;
    },
    encode: (value) => value,
  };
}

export function textList(expected: string): FieldType<readonly string[]> {
  return {
    valueKind: 'texts',
    input: Type.Array(Type.String(), { description: expected }),
    answer: Type.Array(Type.String()),
    decode: (json) => json as string[],
    encode: (values) => [...values],
  };
}

/** Values of a closed list. */
export const choiceList = (words: readonly string[]): FieldType<readonly string[]> => ({
  ...textList(''),
  input: Type.Array(choice(words).input, { description: `an array of ${words.join(', ')}` }),
  answer: Type.Array(Type.Enum([...words])),
});

interface Bounds {
  least: number;
  most?: number;
  /** Completes “must be …”. */
  expected?: string;
}

export function count({ least, most, expected }: Bounds): FieldType<number> {
  const bounds = { minimum: least, ...(most !== undefined && { maximum: most }) };
  return {
    valueKind: 'count',
    least,
    ...(most !== undefined && { most }),
    input: Type.Integer({ ...bounds, ...(expected !== undefined && { description: expected }) }),
    answer: Type.Integer(),
    decode: (json, param) =>
      typeof json === 'number' ? json : readCount(json as string, param, { least, most }),
    encode: (value) => value,
  };
}

/** A whole number in a query. */
function readCount(
  written: string,
  param: string,
  { least, most = Number.MAX_SAFE_INTEGER }: { least: number; most: number | undefined },
): number {
  const value = /^\d{1,15}$/.test(written) ? Number(written) : NaN;
  if (value >= least && value <= most) return value;
  throw createInvalid(param, `a whole number from ${least} to ${most}`);
}

/** A text in a query that `read` parses; undefined if it is invalid. */
export const parsed = <Value>(
  read: (text: string) => Value | undefined,
  expected: string,
): InputType<Value> => ({
  valueKind: 'parsed',
  input: Type.String({ description: expected }),
  decode: (json, param) => {
    const value = read(json as string);
    if (value === undefined) throw createInvalid(param, expected);
    return value;
  },
});

/** A duration in seconds; the command line takes 15m or 24h. */
export const seconds = (bounds: Bounds): FieldType<number> => ({ ...count(bounds), valueKind: 'seconds' });

export const number = (description?: string): OutputType<number> => ({
  valueKind: 'count',
  answer: Type.Integer(description === undefined ? {} : { description }),
  encode: (value) => value,
});

export const AMOUNT = 'an amount of USD, such as "12.50": a decimal string, or a number of at most 15 digits';
const A_DECIMAL = {
  type: ['string', 'number'],
  pattern: String.raw`^\d{1,15}(\.\d{1,12})?$`,
  minimum: 0,
};

/** A decimal in JSON. */
export type WrittenDecimal = string | number;

export const usd: FieldType<PicoUsd> = {
  valueKind: 'usd',
  input: Type.Unsafe<WrittenDecimal>({ ...A_DECIMAL, description: AMOUNT }),
  answer: Type.String({ description: 'USD, an exact decimal.' }),
  decode: (json, param) => readUsd(json as WrittenDecimal, param),
  encode: (value) => formatUsd(value),
};

/** An amount above 0. */
export const positiveUsd: FieldType<PicoUsd> = { ...usd, least: 1 };

function readUsd(written: WrittenDecimal, param: string): PicoUsd {
  const amount = parseUsd(readDecimal(written, param));
  if (amount === undefined) throw createInvalid(param, AMOUNT);
  return amount;
}

/** Its text. */
export function readDecimal(written: WrittenDecimal, param: string): string {
  const text = typeof written === 'number' ? writeDecimal(written) : written;
  if (text === undefined) throw createInvalid(param, AMOUNT);
  return text;
}

const A_TIME = 'a time in ISO 8601 with a zone, such as 2026-11-22T00:00:00Z';
/** A time in milliseconds since the Unix epoch. */
export const time: FieldType<number> = {
  valueKind: 'time',
  input: Type.String({ description: A_TIME }),
  answer: Type.String({ description: 'ISO 8601, UTC.' }),
  decode: (json, param) => readTime(json as string, param),
  encode: (value) => new Date(value).toISOString(),
};

const HAS_ZONE = /T.*(Z|[+-]\d\d:\d\d)$/;

/** An amount in responses that the database stores as digits of pico-USD. */
export const usdDigits: OutputType<string> = { ...usd, encode: (digits) => formatUsd(BigInt(digits)) };

/** A text or null in responses. */
export const textOrNull = (description?: string): OutputType<string | null> =>
  nullableOutput(outputText(description));

/** A number with a fraction, in responses. */
export const real = (description?: string): OutputType<number> => ({
  valueKind: 'count',
  answer: Type.Number(description === undefined ? {} : { description }),
  encode: (value) => value,
});

/** An object with any members, in responses. */
export const anyObject: OutputType<JsonObject> = {
  valueKind: 'object',
  answer: Type.Object({}, { additionalProperties: true }),
  encode: (value) => value,
};

/** A map in responses. */
export const mapOf = <Value extends JsonValue>(
  { answer }: OutputType<Value>,
  description?: string,
): OutputType<Readonly<Partial<Record<string, Value>>>> => ({
  valueKind: 'object',
  answer: Type.Record(Type.String(), answer, description === undefined ? {} : { description }),
  encode: (values) => ({ ...(values as JsonObject) }),
});

/** A moment in ISO 8601, as milliseconds since the Unix epoch. */
export function readTime(written: string, param: string): number {
  const moment = HAS_ZONE.test(written) ? parseMoment(written) : undefined;
  if (moment === undefined) throw createInvalid(param, A_TIME);
  return moment;
}
