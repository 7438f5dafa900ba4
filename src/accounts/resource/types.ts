import type { JsonObject, PicoUsd } from '#base';
import { formatUsd, parseMoment, parseUsd, systemClock, writeDecimal } from '#base';
import { Type } from 'typebox';
import { PERIODS, type RecurringLimit } from '../meters/recurring-limit.ts';
import { MOST_LIMIT, type RateLimitChange, type RateLimits } from '../limits/rate-limits.ts';
import { createInvalid } from '../read-input.ts';
import {
  type FieldType,
  type InputType,
  type Reference,
  type OutputType,
  closedObject,
  nullableInput,
} from './field-type.ts';

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

export const name = text('a text of 1 to 200 characters');

/** The id of another record; `what` completes “the id of …”. */
export const idOf = (refersTo: Reference, what: string): InputType<string> => ({
  ...text(`the id of ${what}`),
  refersTo,
});

/** A secret in requests; the command line takes it from a file or variable, never as an argument. */
export const secret = (expected: string): InputType<string> => ({ ...text(expected), valueKind: 'secret' });

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
    decode: (json) => json as Word,
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
    decode: Number,
    encode: (value) => value,
  };
}

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

/** A decimal as JSON has it. */
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

export const recurringLimit: FieldType<RecurringLimit> = {
  valueKind: 'recurringLimit',
  input: closedObject({ amount: usd.input, period: choice(PERIODS).input }),
  answer: Type.Object({ amount: usd.answer, period: Type.Enum([...PERIODS]) }),
  decode: (json, param) => {
    const { amount, period } = json as { amount: WrittenDecimal; period: RecurringLimit['period'] };
    return { amount: readUsd(amount, `${param}.amount`), period };
  },
  encode: ({ amount, period }) => ({ amount: formatUsd(amount), period }),
};

const A_TIME = 'a time in ISO 8601 with a zone, such as 2026-11-22T00:00:00Z';
const AN_END = `a future time in ISO 8601 with a zone, such as 2026-11-22T00:00:00Z`;

/** A time in milliseconds since the Unix epoch. */
export const time: FieldType<number> = {
  valueKind: 'time',
  input: Type.String({ description: A_TIME }),
  answer: Type.String({ description: 'ISO 8601, UTC.' }),
  decode: (json, param) => readTime(json as string, param),
  encode: (value) => new Date(value).toISOString(),
};

/** A time in the future. A past time would end a key at once, and is usually a mistake. */
export const futureTime: FieldType<number> = {
  ...time,
  valueKind: 'end',
  input: Type.String({ description: AN_END }),
  decode: (json, param) => {
    const moment = readTime(json as string, param);
    if (moment > systemClock.now()) return moment;
    throw createInvalid(param, 'a time in the future; "disabled": true ends a key at once');
  },
};

const HAS_ZONE = /T.*(Z|[+-]\d\d:\d\d)$/;

/** The same, with `null` for never. */
export const futureTimeOrNull = nullableInput(
  { ...futureTime, input: Type.String() },
  `${AN_END}, or null for never`,
);

/** A moment in ISO 8601, as milliseconds since the Unix epoch. */
export function readTime(written: string, param: string): number {
  const moment = HAS_ZONE.test(written) ? parseMoment(written) : undefined;
  if (moment === undefined) throw createInvalid(param, A_TIME);
  return moment;
}

const most = (what: string) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: MOST_LIMIT }), Type.Null()], {
      description: `a whole number of ${what} from 1 to ${MOST_LIMIT}, or null for no limit`,
    }),
  );
const limit = Type.Union([Type.Integer(), Type.Null()]);

/** A change of rate limits: `null` removes a limit, absent ones do not change. */
export const rateLimits: FieldType<RateLimitChange> = {
  valueKind: 'rateLimits',
  isNullable: true,
  input: closedObject({
    requests_per_minute: most('requests'),
    tokens_per_minute: most('tokens'),
    concurrency: most('requests at once'),
  }),
  answer: Type.Object({ requests_per_minute: limit, tokens_per_minute: limit, concurrency: limit }),
  decode: (json) => {
    const given = json as JsonObject;
    const pick = (wire: string, member: keyof RateLimits): RateLimitChange =>
      given[wire] === undefined ? {} : { [member]: given[wire] };
    return {
      ...pick('requests_per_minute', 'requestsPerMinute'),
      ...pick('tokens_per_minute', 'tokensPerMinute'),
      ...pick('concurrency', 'concurrency'),
    };
  },
  encode: ({ requestsPerMinute, tokensPerMinute, concurrency }) => ({
    requests_per_minute: requestsPerMinute ?? null,
    tokens_per_minute: tokensPerMinute ?? null,
    concurrency: concurrency ?? null,
  }),
};

/** The rate limits of a new record, which has none to remove. */
export const initialRateLimits: InputType<RateLimits> = {
  ...rateLimits,
  isNullable: false,
  decode: (json, param) =>
    Object.fromEntries(Object.entries(rateLimits.decode(json, param)).filter(([, value]) => value !== null)),
};
