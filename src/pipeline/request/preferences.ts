import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AccessRule, ProviderChoice, RoutingWishes } from '#accounts';
import type { Cutoffs, WantedPace } from '#routing';
import type { RequestHeaders } from '#wire';
import { type JsonObject, type JsonValue, findFault, isJsonObject, parseJson } from '#base';
import { CHOICE_MEMBERS, STRATEGIES, addWishes, toRules } from '#accounts';
import { GatewayError } from '#errors';

const MOST_MODELS = 10;
const HEADER = 'x-gateway-provider';
/** LiteLLM's name in a list of fallbacks for every model. */
const EVERY_MODEL = '*';

const { sort: strategySchema } = CHOICE_MEMBERS;

/** A number is for the median. */
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

/** Those of requests, besides those that keys and projects have, too. */
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
export const FALLBACKS_MEMBER = { fallbacks: nullable(fallbacksSchema) };

type AskedChoice = Static<typeof providerSchema>;

const providerCheck = Compile(providerSchema);
const modelsCheck = Compile(modelsSchema);
const fallbacksCheck = Compile(fallbacksSchema);

/** What is asked about the providers and models that may answer a request. */
export interface Preferences extends RoutingWishes {
  /** Whether the request itself asks, not only its key or project. */
  isAsked: boolean;
  /** Whether the providers of all models are sorted together. */
  mixesModels?: boolean;
  pace?: WantedPace;
  /** Narrow the mappings, as rules of the caller do. */
  rules: readonly AccessRule[];
  /** Models that the request names, to try after the requested one. */
  models: readonly NamedFallback[];
}

export interface NamedFallback {
  name: string;
  /** Where the request names it. */
  param: string;
}

/** A request as far as its preferences go. */
interface Wanted {
  body: JsonObject;
  headers: RequestHeaders;
  model: string;
  /** Whether `fallbacks` is LiteLLM's. */
  hasFallbacks: boolean;
  /** What its key and project want. */
  standing: RoutingWishes | undefined;
}

/** What a key and its project want of every request. */
export function toPreferences(standing: RoutingWishes): Preferences {
  return { ...standing, isAsked: false, rules: [], models: [] };
}

/** What a request wants beyond its key and project; absent if nothing. */
export function readPreferences({
  body,
  headers,
  model,
  hasFallbacks,
  standing,
}: Wanted): Preferences | undefined {
  const asked = readChoice(body, headers);
  const choice = asked && toChoice(asked);
  const models = readModels(body);
  const fallbacks = hasFallbacks ? readFallbacks(body, model) : undefined;
  if (choice === undefined && models === undefined && fallbacks === undefined) return undefined;
  const wishes = addWishes(standing, choice ?? {});
  const pace = asked && toPace(asked);
  const named = [...(models ?? []), ...(fallbacks ?? [])];
  return {
    ...wishes,
    isAsked: true,
    ...(isMixed(asked) && { mixesModels: true }),
    ...(pace && { pace }),
    fallbackModels: named.length > 0 ? [] : wishes.fallbackModels,
    rules: toRules('request', choice ?? {}),
    models: named,
  };
}

/** What keys and projects can choose, too. */
function toChoice({ sort, ...rest }: AskedChoice): ProviderChoice {
  const { preferred_max_latency: _latency, preferred_min_throughput: _throughput, ...choice } = rest;
  const strategy = typeof sort === 'object' ? sort.by : sort;
  return { ...choice, ...(strategy && { sort: strategy }) };
}

function isMixed(asked: AskedChoice | undefined): boolean {
  return typeof asked?.sort === 'object' && asked.sort.partition === 'none';
}

function toPace({
  preferred_max_latency: latency,
  preferred_min_throughput: throughput,
}: AskedChoice): WantedPace | undefined {
  if (latency === undefined && throughput === undefined) return undefined;
  return {
    ...(latency !== undefined && { firstEvent: toCutoffs(latency, (seconds) => seconds * 1_000) }),
    ...(throughput !== undefined && { perToken: toCutoffs(throughput, (perSecond) => 1_000 / perSecond) }),
  };
}

function toCutoffs(asked: number | Cutoffs, toMs: (value: number) => number): Cutoffs {
  const given = typeof asked === 'number' ? { p50: asked } : asked;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toMs(value)]));
}

/** The `provider` of a body, or the header in its place. */
function readChoice(body: JsonObject, headers: RequestHeaders): AskedChoice | undefined {
  const header = headers[HEADER];
  const value = typeof header === 'string' ? readHeader(header) : (body['provider'] ?? undefined);
  if (value === undefined || providerCheck.Check(value)) return value;
  throw toError(providerSchema, value, typeof header === 'string' ? HEADER : 'provider');
}

function readHeader(text: string): JsonValue {
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw new GatewayError('invalid_request', `${HEADER}: is not JSON`, { param: HEADER });
}

function readModels(body: JsonObject): NamedFallback[] | undefined {
  const value = body['models'] ?? undefined;
  if (value === undefined) return undefined;
  if (!modelsCheck.Check(value)) throw toError(modelsSchema, value, 'models');
  return value.map((name, at) => ({ name, param: `models.${at}` }));
}

function readFallbacks(body: JsonObject, model: string): NamedFallback[] | undefined {
  const value = body['fallbacks'] ?? undefined;
  if (value === undefined) return undefined;
  if (!fallbacksCheck.Check(value)) throw toError(fallbacksSchema, value, 'fallbacks');
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
  const param = [place, ...path].join('.');
  const complaint = allowed ? `must be one of ${allowed.join(', ')}` : message;
  return new GatewayError('invalid_request', `${param}: ${complaint}`, { param });
}
