import { Type, type Static } from 'typebox';
import { FORMATS } from '#canonical';
import {
  CLOUD_IDS,
  VIDEO_PROTOCOLS,
  cancellationSchema,
  dialectOverridesSchema,
  modifiersSchema,
  hostedToolsSchema,
  operationsSchema,
  privacySchema,
  protocolSchema,
  priceFields,
  quantizationSchema,
  videoSchema,
} from '#catalogue';
import { authSchema } from './auth-schema.ts';
import { accessFields, credentialsSchema, limitsSchema, queueSchema } from './credential-schema.ts';
import { serverSchema } from './server-schema.ts';
import { ledgerSchema } from './ledger-schema.ts';
import { metricsSchema } from './metrics-schema.ts';
import { telemetrySchema } from './telemetry-schema.ts';
import { milliseconds, providerTimeoutsSchema, timeoutsSchema } from './timeouts-schema.ts';
import { routingSchema } from './routing-schema.ts';
import { alertsSchema } from './alerts-schema.ts';
import { catalogueSchema } from './catalogue-schema.ts';
import { exportsSchema } from './exports-schema.ts';

const strict = { additionalProperties: false };
const amount = Type.String({
  pattern: '^\\d{1,6}(\\.\\d{1,6})?$',
  description: 'USD per million tokens, as a decimal such as 0.25.',
});

const priceSchema = Type.Object(priceFields, strict);

const modelName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]*$', maxLength: 200 });

const modelSchema = Type.Object(
  {
    id: Type.String({ ...modelName, description: 'Can be called by this name and as provider/name.' }),
    aliases: Type.Optional(
      Type.Array(modelName, {
        maxItems: 50,
        uniqueItems: true,
        description: 'Other names that requests may use for the model.',
      }),
    ),
    externalId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The provider’s own name for the model. Default: the id.',
      }),
    ),
    format: Type.Optional(
      Type.Enum([...FORMATS], {
        description: 'The API format of the model, if it is not its provider’s.',
      }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    contextLength: Type.Optional(Type.Integer({ minimum: 1 })),
    maxOutput: Type.Optional(Type.Integer({ minimum: 1 })),
    quantization: Type.Optional(quantizationSchema),
    price: Type.Optional(priceSchema),
    reasoning: Type.Optional(Type.Boolean()),
    vision: Type.Optional(Type.Boolean()),
    tools: Type.Optional(Type.Boolean()),
    operations: Type.Optional(operationsSchema),
    protocol: Type.Optional(protocolSchema),
    video: Type.Optional(videoSchema),
    modifiers: Type.Optional(modifiersSchema),
    hostedTools: Type.Optional(hostedToolsSchema),
    dialect: Type.Optional(dialectOverridesSchema),
  },
  strict,
);

const providerSchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9][a-z0-9._-]*$',
      maxLength: 100,
      description: 'A provider of the catalogue, to override its settings, or a custom one.',
    }),
    format: Type.Optional(
      Type.Enum([...FORMATS], {
        description: 'The API format of the provider.',
      }),
    ),
    cloud: Type.Optional(
      Type.Enum([...CLOUD_IDS], { description: 'The cloud that a custom provider is part of.' }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    ...accessFields,
    credentials: credentialsSchema,
    limits: limitsSchema,
    queue: queueSchema,
    timeouts: providerTimeoutsSchema,
    videoProtocol: Type.Optional(
      Type.Enum([...VIDEO_PROTOCOLS], {
        description: 'The protocol for videos, if it differs from the format’s.',
      }),
    ),
    cancellation: Type.Optional(cancellationSchema),
    models: Type.Optional(Type.Array(modelSchema)),
    privacy: Type.Optional(privacySchema),
    modifiers: Type.Optional(modifiersSchema),
    hostedTools: Type.Optional(hostedToolsSchema),
    dialect: Type.Optional(dialectOverridesSchema),
  },
  strict,
);

const usd = Type.String({
  pattern: '^\\d{1,9}(\\.\\d{1,12})?$',
  description: 'USD, as a decimal such as 79.',
});
const planSchema = Type.Optional(
  Type.Object(
    {
      price: Type.Optional(Type.String({ ...usd, description: 'USD per month.' })),
      credits: Type.Optional(
        Type.String({ ...usd, description: 'USD that may be used in a billing cycle.' }),
      ),
      premiumPercent: Type.Optional(
        Type.String({
          pattern: '^\\d{1,3}(\\.\\d{1,6})?$',
          description: 'What premium models may use in a week, in percent of the credits of a cycle.',
        }),
      ),
    },
    strict,
  ),
);

const settingsSchema = Type.Object(
  {
    server: Type.Optional(serverSchema),
    auth: authSchema,
    timeouts: timeoutsSchema,
    drainSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'How long a stopping gateway finishes open answers.',
      }),
    ),
    openBodiesMiB: Type.Optional(
      Type.Integer({
        minimum: 64,
        maximum: 65_536,
        description:
          'Memory for the bodies of all open requests together; beyond it new ones get 503. Default: a 24th of Node’s heap limit, at least 96. Read at the start.',
      }),
    ),
    allowUnpriced: Type.Optional(
      Type.Boolean({ description: 'Allows models and hosted tools without a known price; they cost 0.' }),
    ),
    plans: Type.Optional(
      Type.Object(
        {
          lite: planSchema,
          pro: planSchema,
          max: planSchema,
          premiumFrom: Type.Optional(
            Type.Object(
              { input: Type.Optional(amount), output: Type.Optional(amount) },
              {
                ...strict,
                description:
                  'The price from which a model is premium. Default: 5 for input and 15 for output.',
              },
            ),
          ),
        },
        { ...strict, description: 'Plans that organizations can subscribe to.' },
      ),
    ),
    customProviders: Type.Optional(
      Type.Object(
        {
          trustedHosts: Type.Optional(
            Type.Array(
              Type.String({
                pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?$',
                maxLength: 260,
              }),
              {
                uniqueItems: true,
                description:
                  'Hosts you vouch for, as host or host:port: they may be private, need no https, and a host without a port is trusted on all ports.',
              },
            ),
          ),
          ports: Type.Optional(
            Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), {
              minItems: 1,
              uniqueItems: true,
              description: 'The ports of all other hosts. Default: 443.',
            }),
          ),
        },
        { ...strict, description: 'Which addresses organizations may use for custom providers.' },
      ),
    ),
    ledger: ledgerSchema,
    metrics: metricsSchema,
    telemetry: telemetrySchema,
    exports: exportsSchema,
    alerts: alertsSchema,
    catalogue: catalogueSchema,
    routing: routingSchema,
    logs: Type.Optional(
      Type.Object(
        {
          maxAgeDays: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 36_500,
              description:
                'How long rows of requests are kept, in whole months. Default: 400. Their usage per day is kept permanently.',
            }),
          ),
          maxSizeGb: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 1_000_000,
              description:
                'Beyond this many GiB payloads are dropped, then the oldest months. Default: 10 with the embedded PostgreSQL, 200 with another.',
            }),
          ),
        },
        { ...strict, description: 'How much of the request log is kept.' },
      ),
    ),
    videos: Type.Optional(
      Type.Object(
        {
          pollMs: milliseconds(
            'How often the provider of an open video is polled. Default: as its protocol sets.',
          ),
          expireHours: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              maximum: 720,
              description: 'How long a provider may take for a video. Default: 24.',
            }),
          ),
          linkHours: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              maximum: 168,
              description: 'How long the link of a content works without a key. Default: 24.',
            }),
          ),
        },
        { ...strict, description: 'Video jobs: created by a request, processed in the background.' },
      ),
    ),
    logLevel: Type.Optional(Type.Enum(['debug', 'info', 'warn', 'error', 'silent'])),
    providers: Type.Optional(Type.Array(providerSchema)),
  },
  strict,
);

/** The content of `sluice.yaml`, with its variables filled in. */
export type SettingsFile = Static<typeof settingsSchema>;
export type ProviderEntry = Static<typeof providerSchema>;

/** The JSON Schema of `sluice.yaml`, published for editors. */
export function createSettingsSchema() {
  const heading = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'sluice.yaml',
    description: 'Configuration of a Sluice gateway.',
  };
  return Object.assign(heading, settingsSchema);
}
