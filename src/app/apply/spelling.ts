import type { InputType, ValueKind } from '#fields';
import {
  MOST_LIMIT,
  PERIODS,
  type RateLimits,
  type RecurringLimit,
  ROUTING_MEMBERS,
  routingChoiceSchema,
} from '#accounts';
import { type PicoUsd, formatUsd, parseMoment, parseUsd, writeDecimal } from '#base';
import { type TSchema, Type } from 'typebox';

/** The word for an absent limit, plan or expiry. */
const NONE = 'none';

/** How a file writes a type of value. */
export interface ValueSpelling {
  schema: TSchema;
  /** The value of what fits the schema; throws a message that completes the name of the field. */
  read(written: unknown): unknown;
  /** The canonical spelling of a value; of `undefined`, the default of a new record. */
  write(value: unknown): unknown;
}

/** A value between a file and a record, if it is not absent. */
interface Text<Value> {
  pattern: string;
  /** Describes the pattern. */
  example: string;
  /** Whether a number is taken for its decimal. */
  isDecimal?: true;
  parse(written: string): Value | undefined;
  format(value: Value): string;
}

function textOrNone<Value>({ pattern, example, isDecimal, parse, format }: Text<Value>): ValueSpelling {
  const description = `${example}, or ${NONE}.`;
  return {
    schema: Type.Unsafe({
      type: isDecimal ? ['string', 'number'] : 'string',
      pattern: `^(${NONE}|${pattern})$`,
      description,
    }),
    read: (written) => {
      if (written === NONE) return null;
      const text = typeof written === 'number' ? writeDecimal(written) : (written as string);
      const value = text === undefined ? undefined : parse(text);
      if (value === undefined) throw new Error(`is malformed: ${description}`);
      return value;
    },
    write: (value) => (value === undefined || value === null ? NONE : format(value as Value)),
  };
}

const USD = String.raw`\d{1,15}(\.\d{1,12})?`;
const DAY = String.raw`\d{4}-\d\d-\d\d`;

const usd: Text<PicoUsd> = {
  pattern: USD,
  example: 'USD such as 25',
  isDecimal: true,
  parse: (written) => (new RegExp(`^${USD}$`).test(written) ? parseUsd(written) : undefined),
  format: formatUsd,
};

const recurringLimit: Text<RecurringLimit> = {
  pattern: `${USD}/(${PERIODS.join('|')})`,
  example: `USD per period (${PERIODS.join(', ')}) such as 5/day`,
  parse: (written) => {
    const [usdText = '', period] = written.split('/');
    const amount = parseUsd(usdText);
    return amount === undefined ? undefined : { amount, period: period as RecurringLimit['period'] };
  },
  format: ({ amount, period }) => `${formatUsd(amount)}/${period}`,
};

const end: Text<number> = {
  pattern: String.raw`${DAY}(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?`,
  example: 'a date or time in UTC such as 2030-01-31 or 2030-01-31T12:00:00Z',
  parse: parseMoment,
  format: (value) => new Date(value).toISOString(),
};

const asIs = (schema: TSchema, initial?: unknown): ValueSpelling => ({
  schema,
  read: (written) => written,
  write: (value) => value ?? initial,
});

const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_LIMIT }));

/** A change of limits keeps those it does not name: absent ones are removed explicitly. */
const NO_LIMITS = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };

const NO_ROUTING = Object.fromEntries(ROUTING_MEMBERS.map((member) => [member, null]));

const dropNulls = (value: unknown): object =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, member]) => member !== null));

const SPELLINGS: Partial<Record<ValueKind, (type: InputType<unknown>) => ValueSpelling>> = {
  count: ({ least = 0, most }) => ({
    schema: Type.Integer({ minimum: 0, ...(most !== undefined && { maximum: most }) }),
    read: (written) => {
      if (written === 0) return null;
      if ((written as number) < least) throw new Error(`must be ${least} to ${most}, or 0 for none`);
      return written;
    },
    write: (value) => value ?? 0,
  }),
  end: () => textOrNone(end),
  flag: () => asIs(Type.Boolean(), false),
  rateLimits: ({ isNullable }) => ({
    ...asIs(
      Type.Object(
        { requestsPerMinute: limit, tokensPerMinute: limit, concurrency: limit },
        { additionalProperties: false },
      ),
      {},
    ),
    read: (written) => (isNullable === true ? { ...NO_LIMITS, ...(written as RateLimits) } : written),
    write: dropNulls,
  }),
  recurringLimit: () => textOrNone(recurringLimit),
  routing: () => ({
    ...asIs(routingChoiceSchema, {}),
    read: (written) => ({ ...NO_ROUTING, ...(written as object) }),
    write: dropNulls,
  }),
  text: () => asIs(Type.String({ minLength: 1, maxLength: 254 })),
  texts: () => asIs(Type.Array(Type.String()), []),
  usd: () => textOrNone(usd),
  word: ({ choices: words = [] }) => asIs(Type.Enum([...words]), words.includes(NONE) ? NONE : undefined),
};

export function createSpelling(type: InputType<unknown>): ValueSpelling {
  const create = SPELLINGS[type.valueKind];
  if (!create) throw new Error(`a field of the type ${type.valueKind} cannot be written to a file`);
  return create(type);
}
