import { type Static, Type } from 'typebox';
import type { AccessRule, ProviderChoice, RoutingPreferences } from '#accounts';
import type { ClientFormatId } from '#canonical';
import type { SpeedCutoffs, WantedSpeed } from '#routing';
import {
  type HttpHeaders,
  type JsonObject,
  type JsonValue,
  findFault,
  fitsSchema,
  isJsonObject,
  parseJson,
} from '#base';
import { CHOICE_MEMBERS, STRATEGIES, mergePreferences, toRules } from '#accounts';
import { createParamError, type GatewayError } from '#errors';
import { CLIENT_FACTS } from '#wire';

const MOST_MODELS = 10;
const HEADER = 'x-gateway-provider';
/** LiteLLM's name in a list of fallbacks for every model. */
const EVERY_MODEL = '*';

const { sort: strategySchema } = CHOICE_MEMBERS;

/** A plain number is a limit of the median. */
const cutoffs = (what: string) => {
  const cutoff = Type.Number({ exclusiveMinimum: 0 });
  const percentiles = Type.Object(
    { p50: cutoff, p75: cutoff, p90: cutoff, p99: cutoff },
    { additionalProperties: false },
  );
  return Type.Union([cutoff, Type.Partial(percentiles, { additionalProperties: false })], {
    description: `${what}, as a number above 0 or an object of p50, p75, p90 and p99`,
  });
};

/** The members for requests, beyond those for keys and projects. */
const REQUEST_MEMBERS = {
  ...CHOICE_MEMBERS,
  sort: Type.Union(
    [
      strategySchema,
      Type.Object(
        { by: strategySchema, partition: Type.Optional(Type.Enum(['model', 'none'])) },
        { additionalProperties: false },
      ),
    ],
    {
      description: `one of ${STRATEGIES.join(', ')}, or an object of by (the same) and partition (model or none)`,
    },
  ),
  preferred_max_latency: cutoffs('seconds to the first event'),
  preferred_min_throughput: cutoffs('tokens per second'),
  require_parameters: Type.Boolean({ description: 'true or false' }),
  enforce_distillable_text: Type.Literal(false, {
    description: 'false: the terms of providers about distillation are not known here',
  }),
};

const providerSchema = Type.Partial(Type.Object(REQUEST_MEMBERS), {
  title: 'ProviderPreferences',
  additionalProperties: false,
  description: 'How to choose among the providers of a model: docs/routing.md.',
});
const modelName = Type.String({ minLength: 1, maxLength: 500 });
const modelsSchema = Type.Array(modelName, {
  minItems: 1,
  maxItems: MOST_MODELS,
  description: 'Models to try after `model`, in this order.',
});
const fallbacksSchema = Type.Array(
  Type.Union([
    modelName,
    Type.Object({ model: modelName }, { additionalProperties: false }),
    Type.Record(Type.String(), Type.Array(modelName, { maxItems: MOST_MODELS })),
  ]),
  {
    minItems: 1,
    maxItems: MOST_MODELS,
    description:
      'The same as LiteLLM has it: names, `{ "model": name }`, or `{ name: names }` for a requested model (`*`: any).',
  },
);

const nullable = <Schema extends Parameters<typeof Type.Optional>[0]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

/** The members by which requests choose providers and models, in every format. */
export const PREFERENCE_MEMBERS = { provider: nullable(providerSchema), models: nullable(modelsSchema) };
/** In the formats of OpenAI; Messages has fallbacks of its own. */
export const FALLBACKS_MEMBER = {
  fallbacks: nullable(fallbacksSchema),
  disable_fallbacks: nullable(Type.Boolean({ description: 'True asks no other model, as in LiteLLM.' })),
};

type AskedChoice = Static<typeof providerSchema>;

/** The providers and models that may answer a request, and in which order. */
export interface Preferences extends RoutingPreferences {
  /** Whether the request itself asks, not only its key or project. */
  isAsked: boolean;
  /** Whether the providers of all models are sorted together. */
  mixesModels?: boolean;
  speed?: WantedSpeed;
  /** Whether only mappings are asked that support every parameter of the request. */
  requiresParameters?: boolean;
  /** Narrow the mappings, as rules of the caller do. */
  rules: readonly AccessRule[];
  /** Models that the request names, to try after the requested one. */
  models: readonly NamedFallback[];
}

interface NamedFallback {
  name: string;
  /** Where the request names it. */
  param: string;
}

/** A request as far as its preferences go. */
interface PreferenceSources {
  body: JsonObject;
  headers: HttpHeaders;
  model: string;
  format: ClientFormatId;
  /** Those of its key and project. */
  defaults: RoutingPreferences | undefined;
}

/** The preferences of a request that has none of its own. */
export function toPreferences(defaults: RoutingPreferences): Preferences {
  return { ...defaults, isAsked: false, rules: [], models: [] };
}

/** The same where the name of the requested model asks for a strategy, which replaces every other, and weights. */
export function withStrategy(
  preferences: Preferences | undefined,
  sort: NonNullable<RoutingPreferences['sort']>,
): Preferences {
  const { weights: _weights, ...rest } = preferences ?? toPreferences(mergePreferences(undefined, {}));
  return { ...rest, sort, isAsked: true };
}

/** The preferences of a request on top of those of its key and project; absent if it has none of its own. */
export function readPreferences({
  body,
  headers,
  model,
  format,
  defaults,
}: PreferenceSources): Preferences | undefined {
  const hasFallbacks = CLIENT_FACTS[format].hasFallbacks;
  const asked = readChoice(body, headers);
  const choice = asked && toChoice(asked);
  const models = readModels(body);
  const fallbacks = hasFallbacks ? readFallbacks(body, model) : undefined;
  const isAlone = hasFallbacks && readSwitch(body, 'disable_fallbacks');
  if (choice === undefined && models === undefined && fallbacks === undefined && !isAlone) return undefined;
  const merged = mergePreferences(defaults, choice ?? {});
  const speed = asked && toSpeed(asked);
  const named = isAlone ? [] : [...(models ?? []), ...(fallbacks ?? [])];
  return {
    ...merged,
    isAsked: true,
    ...(isMixed(asked) && { mixesModels: true }),
    ...(speed && { speed }),
    ...(asked?.require_parameters && { requiresParameters: true }),
    fallbackModels: named.length > 0 || isAlone ? [] : merged.fallbackModels,
    rules: toRules('request', choice ?? {}),
    models: named,
  };
}

/** The part that keys and projects can set, too. */
function toChoice({ sort, ...rest }: AskedChoice): ProviderChoice {
  const {
    preferred_max_latency: _latency,
    preferred_min_throughput: _throughput,
    require_parameters: _parameters,
    enforce_distillable_text: _distillable,
    ...choice
  } = rest;
  const strategy = typeof sort === 'object' ? sort.by : sort;
  return { ...choice, ...(strategy && { sort: strategy }) };
}

function isMixed(asked: AskedChoice | undefined): boolean {
  return typeof asked?.sort === 'object' && asked.sort.partition === 'none';
}

function toSpeed({
  preferred_max_latency: latency,
  preferred_min_throughput: throughput,
}: AskedChoice): WantedSpeed | undefined {
  if (latency === undefined && throughput === undefined) return undefined;
  return {
    ...(latency !== undefined && { firstEvent: toCutoffs(latency, (seconds) => seconds * 1_000) }),
    ...(throughput !== undefined && { perToken: toCutoffs(throughput, (perSecond) => 1_000 / perSecond) }),
  };
}

function toCutoffs(asked: number | SpeedCutoffs, toMs: (value: number) => number): SpeedCutoffs {
  const given = typeof asked === 'number' ? { p50: asked } : asked;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toMs(value)]));
}

/** The `provider` of a body, or the header in its place. */
function readChoice(body: JsonObject, headers: HttpHeaders): AskedChoice | undefined {
  const header = headers[HEADER];
  const given = typeof header === 'string' ? readHeader(header) : (body['provider'] ?? undefined);
  const value = isJsonObject(given) ? withoutNulls(given) : given;
  if (value === undefined || fitsSchema(providerSchema, value)) return value;
  throw toError(providerSchema, value, typeof header === 'string' ? HEADER : 'provider');
}

/** OpenRouter's SDKs send null for what is not set. */
function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function readHeader(text: string): JsonValue {
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw createParamError(HEADER, 'is not JSON');
}

function readModels(body: JsonObject): NamedFallback[] | undefined {
  const value = body['models'] ?? undefined;
  if (value === undefined) return undefined;
  if (!fitsSchema(modelsSchema, value)) throw toError(modelsSchema, value, 'models');
  return value.map((name, at) => ({ name, param: `models.${at}` }));
}

function readSwitch(body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw createParamError(name, 'must be true or false');
}

function readFallbacks(body: JsonObject, model: string): NamedFallback[] | undefined {
  const value = body['fallbacks'] ?? undefined;
  if (value === undefined) return undefined;
  if (!fitsSchema(fallbacksSchema, value)) throw toError(fallbacksSchema, value, 'fallbacks');
  return value.flatMap((entry: JsonValue, at): NamedFallback[] => {
    const param = `fallbacks.${at}`;
    if (typeof entry === 'string') return [{ name: entry, param }];
    if (!isJsonObject(entry)) return [];
    if (typeof entry['model'] === 'string') return [{ name: entry['model'], param: `${param}.model` }];
    return Object.entries(entry).flatMap(([requested, names]) =>
      requested === model || requested === EVERY_MODEL
        ? (names as string[]).map((name, place) => ({ name, param: `${param}.${requested}.${place}` }))
        : [],
    );
  });
}

function toError(
  schema: typeof providerSchema | typeof modelsSchema | typeof fallbacksSchema,
  value: unknown,
  place: string,
): GatewayError {
  const { path = [], message = 'is not valid', allowed } = findFault(schema, value) ?? {};
  const complaint = allowed ? `must be one of ${allowed.join(', ')}` : message;
  return createParamError([place, ...path].join('.'), complaint);
}
