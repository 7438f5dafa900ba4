import { formatUsd, parseUsd } from '#base';
import { type Static, Type } from 'typebox';
import { NAMED_QUANTIZATIONS } from '#catalogue';
import type { AccessRule, BindingLayer } from '../rules/rule.ts';

const MOST_NAMES = 50;
const MOST_MODELS = 10;
const MOST_WEIGHT = 1_000;
export const STRATEGIES = ['balanced', 'price', 'latency', 'throughput', 'uptime'] as const;

const listOf = (what: string, item: { pattern: string; maxLength: number }, most: number) =>
  Type.Array(Type.String(item), {
    minItems: 1,
    maxItems: most,
    description: `a list of 1 to ${most} ${what}`,
  });

/** OpenRouter's clients also send names: `Amazon Bedrock`. */
const A_NAME = { pattern: '^[!-~]+( [!-~]+)*$', maxLength: 200 };
const names = () => listOf('provider ids, which may end in *', A_NAME, MOST_NAMES);
const usdPer = (unit: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Number({ minimum: 0, maximum: 999_999_999 }),
        Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,6})?$' }),
      ],
      {
        description: `USD per ${unit}, as a number or a decimal string`,
      },
    ),
  );

/** How often each provider comes first, alongside the others; 0: only where no other can be called. */
export const WEIGHTS = Type.Record(
  Type.String(A_NAME),
  Type.Number({ minimum: 0, maximum: MOST_WEIGHT, description: `a number from 0 to ${MOST_WEIGHT}` }),
  {
    description: `an object of provider ids with weights from 0 to ${MOST_WEIGHT}`,
  },
);

/** The members by which providers are chosen: those of OpenRouter's `provider` object, `weights` and `regions`. */
export const CHOICE_MEMBERS = {
  order: names(),
  only: names(),
  ignore: names(),
  allow_fallbacks: Type.Boolean({ description: 'true or false' }),
  weights: WEIGHTS,
  sort: Type.Enum([...STRATEGIES], { description: `one of ${STRATEGIES.join(', ')}` }),
  data_collection: Type.Enum(['allow', 'deny'], { description: 'allow or deny' }),
  zdr: Type.Boolean({ description: 'true or false' }),
  regions: listOf('regions such as eu', { pattern: '^[a-z]{2,}(-[a-z0-9]+)*$', maxLength: 50 }, MOST_NAMES),
  max_price: Type.Object(
    {
      prompt: usdPer('million tokens'),
      completion: usdPer('million tokens'),
      request: usdPer('request'),
      image: usdPer('image'),
    },
    {
      additionalProperties: false,
      description:
        'an object of prompt and completion, in USD per million tokens, and request and image, in USD for each',
    },
  ),
  quantizations: Type.Array(Type.Enum([...NAMED_QUANTIZATIONS]), {
    minItems: 1,
    uniqueItems: true,
    description: `a list of ${NAMED_QUANTIZATIONS.join(', ')}`,
  }),
};

export const FALLBACK_MODELS = listOf('model names', { pattern: '^[!-~]+$', maxLength: 500 }, MOST_MODELS);

type Choices = { [Name in keyof typeof CHOICE_MEMBERS]: Static<(typeof CHOICE_MEMBERS)[Name]> };

/** How a request, a key or a project chooses among the providers of a model. */
export type ProviderChoice = Partial<Choices>;

/** The routing settings of a key or a project. */
export interface RoutingChoice extends ProviderChoice {
  /** Models that are tried after the requested one. */
  fallback_models?: string[];
}

/** A change of it: `null` removes a member, absent ones stay. */
export type RoutingChange = { [Name in keyof RoutingChoice]?: RoutingChoice[Name] | null };

/** Shares of the requests by provider. */
type ProviderWeights = Readonly<Record<string, number>>;

/** In which order providers and models are tried. */
export interface RoutingPreferences {
  /** Providers to try first, in this order; lower case. */
  order: readonly string[];
  /** Whether a second provider may be tried. */
  allowsFallbacks: boolean;
  sort?: (typeof STRATEGIES)[number];
  /** How often each provider comes first, by its id in lower case; counts before `sort`. */
  weights?: ProviderWeights;
  /** Models to try after the requested one, where they can be called. */
  fallbackModels: readonly string[];
}

/** With the decimals that a rule compares: tokens are priced in millionths of a USD per million. */
const PRICE_RULES = [
  ['prompt', 'max-input-price', 6],
  ['completion', 'max-output-price', 6],
  ['request', 'max-request-price', 12],
  ['image', 'max-image-price', 12],
] as const;

/** The providers that a choice excludes, as rules of its layer. */
export function toRules(layer: BindingLayer, choice: ProviderChoice): AccessRule[] {
  const { only, ignore, data_collection, zdr, regions, max_price = {}, quantizations } = choice;
  const rules: AccessRule[] = [];
  const add = (type: string, values: readonly string[] = []): void =>
    void rules.push({ layer, type, values: values.map(toId) });
  if (data_collection === 'deny') add('no-training');
  if (zdr === true) add('zero-retention');
  if (regions) add('regions', regions);
  if (only) add('allow-providers', only);
  if (ignore) add('deny-providers', ignore);
  if (quantizations) add('quantizations', quantizations);
  for (const [name, type, decimals] of PRICE_RULES) {
    const most = max_price[name];
    if (most !== undefined) add(type, [typeof most === 'number' ? toDecimal(most, decimals) : most]);
  }
  return rules;
}

const MOST_DECIMALS = 12;

/** A number as a decimal without an exponent; digits that are cut off lower the cap. */
function toDecimal(usd: number, decimals: number): string {
  const exact = usd.toFixed(MOST_DECIMALS);
  return formatUsd(parseUsd(exact.slice(0, exact.length - MOST_DECIMALS + decimals)) ?? 0n);
}

/** An inner choice replaces the order, ranking and fallback models of an outer one, but cannot allow its fallbacks. */
export function mergePreferences(
  outer: RoutingPreferences | undefined,
  { order, allow_fallbacks = true, weights, sort, fallback_models }: RoutingChoice,
): RoutingPreferences {
  const ranking = weights || sort ? { weights: weights && lower(weights), sort } : outer;
  return {
    order: order?.map(toId) ?? outer?.order ?? [],
    allowsFallbacks: allow_fallbacks && outer?.allowsFallbacks !== false,
    ...(ranking?.sort && { sort: ranking.sort }),
    ...(ranking?.weights && { weights: ranking.weights }),
    fallbackModels: fallback_models ?? outer?.fallbackModels ?? [],
  };
}

/** The id that a name means: `Amazon Bedrock` is `amazon-bedrock`. */
function toId(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

function lower(weights: ProviderWeights): ProviderWeights {
  return Object.fromEntries(Object.entries(weights).map(([name, weight]) => [toId(name), weight]));
}
