import { PRICE_FIELDS, type PriceField } from '#canonical';
import { Type, type Static } from 'typebox';

const strict = { additionalProperties: false };
export const amountSchema = Type.String({
  pattern: '^\\d{1,6}(\\.\\d{1,6})?$',
  description: 'USD per million tokens, as a decimal such as 0.25.',
});

/** Token prices by kind; omitted kinds cost the same as plain input or output. */
export const tokenPriceFields = {
  cacheRead: Type.Optional(amountSchema),
  cacheWrite5m: Type.Optional(amountSchema),
  cacheWrite1h: Type.Optional(amountSchema),
  reasoning: Type.Optional(amountSchema),
  inputAudio: Type.Optional(amountSchema),
  outputAudio: Type.Optional(amountSchema),
  inputImage: Type.Optional(amountSchema),
  outputImage: Type.Optional(amountSchema),
};

const tokenPriceSchema = Type.Object(
  { input: amountSchema, output: amountSchema, ...tokenPriceFields },
  { ...strict, description: 'Replaces the token prices, including long-context tiers.' },
);

export type TokenPriceFile = Static<typeof tokenPriceSchema>;

export const TOKEN_PRICES = Object.keys(tokenPriceSchema.properties) as (keyof TokenPriceFile)[];

const valueSchema = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' });

/** The effect of one value of a price-changing field. */
const optionSchema = Type.Object(
  {
    factor: Type.Optional(
      Type.String({
        pattern: '^\\d{1,4}(\\.\\d{1,6})?$',
        description: 'Multiplies the price of every token, as a decimal such as 1.1.',
      }),
    ),
    price: Type.Optional(tokenPriceSchema),
    cacheReadFactor: Type.Optional(
      Type.String({
        pattern: '^(0(\\.\\d{1,6})?|1(\\.0{1,6})?)$',
        description:
          'Multiplies the price of reading the prompt cache alone; at most 1, because a hold covers the price itself.',
      }),
    ),
    becomes: Type.Optional(
      Type.Array(valueSchema, {
        minItems: 1,
        uniqueItems: true,
        description:
          'The values the answer may report instead; the most expensive is held. A value with no factor and no price of its own is billed as the first of them if the answer reports none.',
      }),
    ),
    refuse: Type.Optional(Type.Literal(true, { description: 'Its price is unknown.' })),
    contextLength: Type.Optional(Type.Integer({ minimum: 1, description: 'The context window it enables.' })),
    maxOutput: Type.Optional(Type.Integer({ minimum: 1, description: 'The output limit it enables.' })),
  },
  strict,
);

export type PriceOption = Static<typeof optionSchema>;

const modifierSchema = Type.Object(
  {
    absent: Type.Optional(
      Type.String({
        ...valueSchema,
        description: 'The value that applies if a request has none, such as a default of your account.',
      }),
    ),
    values: Type.Optional(Type.Record(valueSchema, optionSchema)),
  },
  strict,
);

const MODIFIERS = [...PRICE_FIELDS, 'beta'] as const;

/** Price-changing request fields, under one name for all formats; `beta` holds values of `anthropic-beta`. */
export const modifiersSchema = Type.Object(
  Object.fromEntries(MODIFIERS.map((name) => [name, Type.Optional(modifierSchema)])) as Record<
    (typeof MODIFIERS)[number],
    Type.TOptional<typeof modifierSchema>
  >,
  { ...strict, description: 'How request fields change the price: docs/prices.md.' },
);

export type Modifiers = Partial<Record<PriceField | 'beta', Static<typeof modifierSchema>>>;
