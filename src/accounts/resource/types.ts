import type { JsonObject, PicoUsd } from '#base';
import { formatUsd, parseMoment, parseUsd, systemClock } from '#base';
import { Type } from 'typebox';
import { PERIODS, type RecurringLimit } from '../ledger/recurring-limit.ts';
import { MOST_LIMIT, type RateLimitChange, type RateLimits } from '../limits/rate-limits.ts';
import { createInvalid } from '../read-input.ts';
import { type FieldType, type InputType, type Names, type ShownType, closed, orNone } from './field-type.ts';

/** A text; `expected` completes “must be …” in requests, `description` describes it in answers. */
export function text(expected = 'a text', description?: string): FieldType<string> {
  return {
    typed: 'text',
    input: Type.String({ description: expected }),
    answer: Type.String(description === undefined ? {} : { description }),
    decode: String,
    encode: (value) => value,
  };
}

/** A text of an answer. */
export const shown = (description?: string): FieldType<string> => text(undefined, description);

export const name = text('a text of 1 to 200 characters');

/** The id of another thing; `what` completes “the id of …”. */
export const idOf = (names: Names, what: string): InputType<string> => ({
  ...text(`the id of ${what}`),
  names,
});

/** A secret of a request: never on the command line itself. */
export const secret = (expected: string): InputType<string> => ({ ...text(expected), typed: 'secret' });

export function flag(expected: string, description?: string): FieldType<boolean> {
  return {
    typed: 'flag',
    input: Type.Boolean({ description: expected }),
    answer: Type.Boolean(description === undefined ? {} : { description }),
    decode: Boolean,
    encode: (value) => value,
  };
}

/** One of a closed list of words. */
export function word<const Word extends string>(words: readonly Word[]): FieldType<Word> {
  return {
    typed: 'word',
    words,
    input: Type.Unsafe<Word>({
      type: 'string',
      enum: [...words],
      description: `one of ${words.join(', ')}`,
    }),
    answer: Type.Enum([...words]),
    decode: (json) => json as Word,
    encode: (value) => value,
  };
}

export function texts(expected: string): FieldType<readonly string[]> {
  return {
    typed: 'texts',
    input: Type.Array(Type.String(), { description: expected }),
    answer: Type.Array(Type.String()),
    decode: (json) => json as string[],
    encode: (values) => [...values],
  };
}

/** Words of a closed list, in answers. */
export const wordsOf = (words: readonly string[]): ShownType<readonly string[]> => ({
  ...texts(''),
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
    typed: 'count',
    least,
    ...(most !== undefined && { most }),
    input: Type.Integer({ ...bounds, ...(expected !== undefined && { description: expected }) }),
    answer: Type.Integer(),
    decode: Number,
    encode: (value) => value,
  };
}

/** A length of time in seconds, which a command line takes as 15m or 24h. */
export const seconds = (bounds: Bounds): FieldType<number> => ({ ...count(bounds), typed: 'seconds' });

export const number = (description?: string): ShownType<number> => ({
  typed: 'count',
  answer: Type.Integer(description === undefined ? {} : { description }),
  encode: (value) => value,
});

export const AMOUNT = 'an amount of USD as a decimal string, such as "12.50"';
const A_DECIMAL = { pattern: String.raw`^\d{1,15}(\.\d{1,12})?$` };

export const usd: FieldType<PicoUsd> = {
  typed: 'usd',
  input: Type.String({ ...A_DECIMAL, description: AMOUNT }),
  answer: Type.String({ description: 'USD, an exact decimal.' }),
  decode: (json, param) => readUsd(json as string, param),
  encode: (value) => formatUsd(value),
};

function readUsd(written: string, param: string): PicoUsd {
  const amount = parseUsd(written);
  if (amount === undefined) throw createInvalid(param, AMOUNT);
  return amount;
}

export const recurringLimit: FieldType<RecurringLimit> = {
  typed: 'recurringLimit',
  input: closed({ amount: usd.input, period: word(PERIODS).input }),
  answer: Type.Object({ amount: usd.answer, period: Type.Enum([...PERIODS]) }),
  decode: (json, param) => {
    const { amount, period } = json as { amount: string; period: RecurringLimit['period'] };
    return { amount: readUsd(amount, `${param}.amount`), period };
  },
  encode: ({ amount, period }) => ({ amount: formatUsd(amount), period }),
};

const A_TIME = 'a time in ISO 8601 with a zone, such as 2026-11-22T00:00:00Z';
const AN_END = `${A_TIME}, that is to come`;

/** A moment in milliseconds since the Unix epoch. */
export const time: FieldType<number> = {
  typed: 'time',
  input: Type.String({ description: A_TIME }),
  answer: Type.String({ description: 'ISO 8601, UTC.' }),
  decode: (json, param) => readTime(json as string, param),
  encode: (value) => new Date(value).toISOString(),
};

/** A moment to come. One that is past would end a key at once, and is mostly a mistake. */
export const end: FieldType<number> = {
  ...time,
  typed: 'end',
  input: Type.String({ description: AN_END }),
  decode: (json, param) => {
    const moment = readTime(json as string, param);
    if (moment > systemClock.now()) return moment;
    throw createInvalid(param, 'a time to come; "disabled": true ends a key at once');
  },
};

const HAS_ZONE = /T.*(Z|[+-]\d\d:\d\d)$/;

/** The same where `null` is never. */
export const endOrNever = orNone({ ...end, input: Type.String() }, `${AN_END}, or null for never`);

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

/** Limits as a change names them: `null` takes one away, what is absent stays. */
export const rateLimits: FieldType<RateLimitChange> = {
  typed: 'rateLimits',
  isNullable: true,
  input: closed({
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

/** The limits of something new, which has none to take away. */
export const firstRateLimits: InputType<RateLimits> = {
  ...rateLimits,
  isNullable: false,
  decode: (json, param) =>
    Object.fromEntries(Object.entries(rateLimits.decode(json, param)).filter(([, value]) => value !== null)),
};
