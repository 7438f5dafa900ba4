import {
  type FieldType,
  type InputType,
  type Reference,
  type WrittenDecimal,
  choice,
  closedObject,
  nullableInput,
  readTime,
  text,
  time,
  usd,
} from '#fields';
import { createInvalid } from '#errors';
import type { JsonObject } from '#base';
import { formatUsd, systemClock } from '#base';
import { Type } from 'typebox';
import { PERIODS, type RecurringLimit } from '../meters/recurring-limit.ts';
import { MOST_LIMIT, type RateLimitChange, type RateLimits } from '../limits/rate-limits.ts';

export const name = text('a text of 1 to 200 characters');

/** The id of another record; `what` completes “the id of …”. */
export const idOf = (refersTo: Reference, what: string): InputType<string> => ({
  ...text(`the id of ${what}`),
  refersTo,
});

/** A secret in requests; the command line takes it from a file or variable, never as an argument. */
export const secret = (expected: string): InputType<string> => ({ ...text(expected), valueKind: 'secret' });

export const recurringLimit: FieldType<RecurringLimit> = {
  valueKind: 'recurringLimit',
  input: closedObject({ amount: usd.input, period: choice(PERIODS).input }),
  answer: Type.Object({ amount: usd.answer, period: Type.Enum([...PERIODS]) }),
  decode: (json, param) => {
    const { amount, period } = json as { amount: WrittenDecimal; period: RecurringLimit['period'] };
    return { amount: usd.decode(amount, `${param}.amount`), period };
  },
  encode: ({ amount, period }) => ({ amount: formatUsd(amount), period }),
};

const AN_END = `a future time in ISO 8601 with a zone, such as 2026-11-22T00:00:00Z`;

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

/** The same, with `null` for never. */
export const futureTimeOrNull = nullableInput(
  { ...futureTime, input: Type.String() },
  `${AN_END}, or null for never`,
);

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
