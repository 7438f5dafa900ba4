import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AccessRule } from '#accounts';
import type { RequestHeaders } from '#wire';
import type { Wishes } from '#routing';
import { type JsonObject, type JsonValue, findFault, parseJson } from '#base';
import { GatewayError } from '#errors';

const MOST_NAMES = 50;
const MOST_MODELS = 10;
const HEADER = 'x-gateway-provider';

const names = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: MOST_NAMES }),
);
const usdPerMillion = Type.Optional(
  Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,6})?$' })]),
);

/** How callers choose among the providers of a model: the `provider` object of OpenRouter. */
const preferencesSchema = Type.Object(
  {
    order: names,
    only: names,
    ignore: names,
    allow_fallbacks: Type.Optional(Type.Boolean()),
    sort: Type.Optional(Type.Enum(['price', 'latency', 'throughput'])),
    data_collection: Type.Optional(Type.Enum(['allow', 'deny'])),
    zdr: Type.Optional(Type.Boolean()),
    max_price: Type.Optional(
      Type.Object({ prompt: usdPerMillion, completion: usdPerMillion }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
);
const modelsSchema = Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
  minItems: 1,
  maxItems: MOST_MODELS,
});

type ProviderChoice = Static<typeof preferencesSchema>;

const providerCheck = Compile(preferencesSchema);
const modelsCheck = Compile(modelsSchema);

/** What a request asks about the providers and models that may answer it. */
export interface Preferences extends Wishes {
  /** Narrow the mappings, as rules of the caller do. */
  rules: readonly AccessRule[];
  /** Models to try after the requested one. */
  models: readonly string[];
}

/** Reads the `provider` and `models` of a body, or the header in place of the former; absent if there are none. */
export function readPreferences(body: JsonObject, headers: RequestHeaders): Preferences | undefined {
  const header = headers[HEADER];
  const provider = typeof header === 'string' ? readHeader(header) : (body['provider'] ?? undefined);
  const models = body['models'] ?? undefined;
  if (provider === undefined && models === undefined) return undefined;
  const place = typeof header === 'string' ? HEADER : 'provider';
  if (provider !== undefined && !providerCheck.Check(provider))
    throw toError(preferencesSchema, provider, place);
  if (models !== undefined && !modelsCheck.Check(models)) throw toError(modelsSchema, models, 'models');
  const { order = [], allow_fallbacks = true, sort, ...rest } = provider ?? {};
  return {
    rules: toRules(rest),
    order: order.map((name) => name.toLowerCase()),
    allowsFallbacks: allow_fallbacks,
    ...(sort && { sort }),
    models: models ?? [],
  };
}

function readHeader(text: string): JsonValue {
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw new GatewayError('invalid_request', `${HEADER}: is not JSON`, { param: HEADER });
}

function toError(
  schema: typeof preferencesSchema | typeof modelsSchema,
  value: unknown,
  place: string,
): GatewayError {
  const { path = [], message = 'is not valid', allowed } = findFault(schema, value) ?? {};
  const param = [place, ...path].join('.');
  const complaint = allowed ? `must be one of ${allowed.join(', ')}` : message;
  return new GatewayError('invalid_request', `${param}: ${complaint}`, { param });
}

function toRules({ only, ignore, data_collection, zdr, max_price }: ProviderChoice): AccessRule[] {
  const rules: AccessRule[] = [];
  const add = (type: string, values: readonly string[] = []): void =>
    void rules.push({ layer: 'request', type, values: values.map((value) => value.toLowerCase()) });
  if (data_collection === 'deny') add('no-training');
  if (zdr === true) add('zero-retention');
  if (only) add('allow-providers', only);
  if (ignore) add('deny-providers', ignore);
  if (max_price?.prompt !== undefined) add('max-input-price', [String(max_price.prompt)]);
  if (max_price?.completion !== undefined) add('max-output-price', [String(max_price.completion)]);
  return rules;
}
