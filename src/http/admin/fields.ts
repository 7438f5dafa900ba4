import type { PicoUsd } from '#base';
import { type TSchema, Type } from 'typebox';
import { MOST_LIMIT, PERIODS } from '#accounts';
import { formatUsd, parseUsd } from '#base';
import { refuse } from './read-query.ts';

const NO_MORE = { additionalProperties: false };

export const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** A body that takes nothing but its members. */
export const closed = <Members extends Record<string, TSchema>>(members: Members) =>
  Type.Object(members, NO_MORE);

export const nameField = Type.String({ description: 'a text of 1 to 200 characters' });
export const idField = (what: string) => Type.String({ description: `the id of ${what}` });
export const stringsField = (description: string) => Type.Array(Type.String(), { description });

/** One of a closed list of words. */
export function wordField<const Word extends string>(words: readonly Word[]) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], description: `one of ${words.join(', ')}` });
}

const A_DECIMAL = { pattern: String.raw`^\d{1,15}(\.\d{1,12})?$` };
export const AMOUNT = 'an amount of USD as a decimal string, such as "12.50"';
export const amountField = Type.String({ ...A_DECIMAL, description: AMOUNT });

/** The amount of a field that was checked. */
export function readAmount(param: string, text: string): PicoUsd {
  const amount = parseUsd(text);
  if (amount === undefined) throw refuse(param, `must be ${AMOUNT}`);
  return amount;
}

export const recurringLimitField = closed({ amount: amountField, period: wordField(PERIODS) });

const count = (what: string) =>
  Type.Optional(
    orNull(
      Type.Integer({ minimum: 1, maximum: MOST_LIMIT }),
      `a whole number of ${what} from 1 to ${MOST_LIMIT}, or null for no limit`,
    ),
  );

/** Limits as a change names them: `null` takes one away, what is absent stays. */
export const rateLimitsField = closed({
  requests_per_minute: count('requests'),
  tokens_per_minute: count('tokens'),
  concurrency: count('requests at once'),
});

const shown = (schema: TSchema) => orNull(schema);

/** How amounts, times and limits look in answers. */
export const usdShape = Type.String({ description: 'USD, an exact decimal.' });
export const timeShape = Type.String({ description: 'ISO 8601, UTC.' });
export const rateLimitsShape = Type.Object({
  requests_per_minute: shown(Type.Integer()),
  tokens_per_minute: shown(Type.Integer()),
  concurrency: shown(Type.Integer()),
});

export function encodeTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function encodeUsd(amount: PicoUsd | null | undefined): string | null {
  return amount === null || amount === undefined ? null : formatUsd(amount);
}
