import { type Static, type TOptional, type TSchema, Type } from 'typebox';
import { CLIENT_FORMATS, FORMATS } from '#canonical';
import { dialectOverridesSchema, effortsSchema } from './dialect-schema.ts';
import { amountSchema, modifiersSchema, tokenPriceFields } from './modifier-schema.ts';
import { hostedToolsSchema } from './hosted-tool-schema.ts';
import { quantizationSchema } from './quantization.ts';
import { mapUnitPrices } from './unit.ts';
import { usdSchema } from './usd.ts';

const strict = { additionalProperties: false };
const idSchema = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]*$' });
const daySchema = Type.String({ pattern: '^20\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$' });
/** The formats a provider may speak. */
const formatSchema = Type.Enum([...FORMATS]);
const regionSchema = Type.String({ pattern: '^[a-z]{2,}(-[a-z0-9]+)*$' });
/** Operations other than text generation that are answered at once; each is a medium. */
export const MEDIA_OPERATIONS = [
  'embeddings',
  'images',
  'speech',
  'transcriptions',
  'moderations',
  'rerank',
] as const;

export type MediaOperation = (typeof MEDIA_OPERATIONS)[number];

/** Operations of a model; each is an endpoint. */
const OPERATIONS = ['generations', ...MEDIA_OPERATIONS, 'videos'] as const;

/** Protocols of media operations. */
const PROTOCOLS = ['openai', 'openai-events', 'cohere', 'google', 'imagen', 'predict'] as const;

export type ProtocolId = (typeof PROTOCOLS)[number];

export const protocolSchema = Type.Enum([...PROTOCOLS]);

/** The address of an operation, if it differs from the format's. */
const placeSchema = Type.Object(
  {
    protocol: Type.Optional(protocolSchema),
    /** Replaces the path of the base URL; the origin stays. */
    basePath: Type.Optional(Type.String({ pattern: '^(/[\\w.-]+)+$' })),
  },
  strict,
);

/** Clouds with their own addresses and credentials. */
export const CLOUD_IDS = ['bedrock', 'azure', 'vertex'] as const;

export type CloudId = (typeof CLOUD_IDS)[number];

/** Which requests a provider stops, and stops billing, when their connection is closed. */
export const cancellationSchema = Type.Enum(['none', 'streams', 'all'], {
  description:
    'Which requests the provider stops, and stops billing, when their connection is closed. Default: none, so that the gateway reads an answer that is billed anyway to its end.',
});

export type Cancellation = Static<typeof cancellationSchema>;

const privacyFacts = {
  trainsOnData: Type.Boolean({ description: 'Whether it trains on API data.' }),
  zeroRetention: Type.Optional(Type.Boolean({ description: 'Whether it retains no API data by default.' })),
  regions: Type.Optional(
    Type.Array(regionSchema, {
      minItems: 1,
      uniqueItems: true,
      description: 'All regions in which it processes API data, such as eu.',
    }),
  ),
};

/** Known facts about a provider's privacy; compliance policies rely on them. */
export const privacySchema = Type.Object(privacyFacts, strict);

export type PrivacyFacts = Static<typeof privacySchema>;

/** Protocols of video jobs. */
export const VIDEO_PROTOCOLS = ['openai', 'veo', 'xai', 'dashscope'] as const;

export type VideoProtocolId = (typeof VIDEO_PROTOCOLS)[number];

/** An optional member of each name. */
function optionalEach<Name extends string, Schema extends TSchema>(names: readonly Name[], schema: Schema) {
  const members = names.map((name) => [name, Type.Optional(schema)]);
  return Object.fromEntries(members) as Record<Name, TOptional<Schema>>;
}

/** One file of `catalogue/providers`. */
export const providerFileSchema = Type.Object(
  {
    id: idSchema,
    name: Type.String({ minLength: 1 }),
    format: formatSchema,
    cloud: Type.Optional(Type.Enum([...CLOUD_IDS])),
    baseUrl: Type.Optional(Type.String({ pattern: '^https://[^\\s]+[^/]$' })),
    auth: Type.Optional(Type.Enum(['bearer', 'x-api-key', 'api-key', 'x-goog-api-key'])),
    env: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' }), { minItems: 1 })),
    docs: Type.Optional(Type.String({ pattern: '^https://' })),
    /** The protocol of its video jobs, if not its format's. */
    videoProtocol: Type.Optional(Type.Enum([...VIDEO_PROTOCOLS])),
    cancellation: Type.Optional(cancellationSchema),
    privacy: Type.Optional(
      Type.Object({ ...privacyFacts, policy: Type.Optional(Type.String({ pattern: '^https://' })) }, strict),
    ),
    media: Type.Optional(Type.Object(optionalEach(MEDIA_OPERATIONS, placeSchema), strict)),
    modifiers: Type.Optional(modifiersSchema),
    hostedTools: Type.Optional(hostedToolsSchema),
    dialect: Type.Optional(dialectOverridesSchema),
    /** Overrides for the dialects of other formats that some of its models use. */
    dialects: Type.Optional(Type.Object(optionalEach(CLIENT_FORMATS, dialectOverridesSchema), strict)),
  },
  strict,
);

export type OperationPlace = Static<typeof placeSchema>;

export type ProviderFile = Static<typeof providerFileSchema>;

/** Amounts by kind, such as a size; `default` is for unlisted kinds. */
const byKindSchema = Type.Record(Type.String({ pattern: '^[\\w.:-]{1,40}$' }), usdSchema, {
  minProperties: 1,
});

/** Prices not counted in tokens. */
const unitPriceFields = mapUnitPrices(
  () => Type.Optional(byKindSchema),
  () => Type.Optional(usdSchema),
);

/** Prices in USD per million tokens, as decimal strings; `request` per request. */
export const priceFields = {
  input: amountSchema,
  output: amountSchema,
  ...tokenPriceFields,
  request: Type.Optional(
    Type.String({ ...amountSchema, description: 'USD per request, as a decimal such as 0.25.' }),
  ),
  ...unitPriceFields,
};

const priceFileSchema = Type.Object(
  {
    ...priceFields,
    tiers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            aboveInputTokens: Type.Integer({ minimum: 1 }),
            input: amountSchema,
            output: amountSchema,
            ...tokenPriceFields,
          },
          strict,
        ),
        { minItems: 1 },
      ),
    ),
  },
  strict,
);

export type PriceFile = Static<typeof priceFileSchema>;

const CAPABILITIES = ['tools', 'vision', 'documents', 'audio', 'reasoning', 'json', 'json-schema'] as const;

export const operationsSchema = Type.Array(Type.Enum([...OPERATIONS]), { minItems: 1, uniqueItems: true });

export type Operation = (typeof OPERATIONS)[number];

/** The videos a mapping generates. */
export const videoSchema = Type.Object(
  {
    sizes: Type.Array(Type.String({ pattern: '^\\d{2,4}x\\d{2,4}$' }), { minItems: 1, uniqueItems: true }),
    seconds: Type.Array(Type.Integer({ minimum: 1, maximum: 600 }), { minItems: 1, uniqueItems: true }),
    audio: Type.Enum(['always', 'optional', 'never']),
    /** Whether it accepts a start image. */
    imageInput: Type.Optional(Type.Boolean()),
  },
  strict,
);

export type VideoAbility = Static<typeof videoSchema>;

const externalIdSchema = Type.String({ minLength: 1, pattern: '^[^\\s?#]+$' });

const mappingFileSchema = Type.Object(
  {
    provider: idSchema,
    externalId: externalIdSchema,
    /** The same model processed within one region, at a multiple of its token prices. */
    regional: Type.Optional(
      Type.Object(
        {
          priceFactor: Type.String({ pattern: '^\\d{1,2}(\\.\\d{1,3})?$' }),
          externalIds: Type.Record(regionSchema, externalIdSchema, { minProperties: 1 }),
        },
        strict,
      ),
    ),
    format: Type.Optional(formatSchema),
    capabilities: Type.Array(Type.Enum([...CAPABILITIES]), { uniqueItems: true }),
    efforts: Type.Optional(effortsSchema),
    /** Text generation alone by default. */
    operations: Type.Optional(operationsSchema),
    /** The protocol for other media, if it differs from the provider's. */
    protocol: Type.Optional(protocolSchema),
    video: Type.Optional(videoSchema),
    price: Type.Optional(priceFileSchema),
    /** In a feed: the day from which the price applies, if it is later than the gateway's notice. */
    priceFrom: Type.Optional(daySchema),
    /** Replaces the price from the beginning of a day (UTC), such as the end of an introductory price. */
    nextPrice: Type.Optional(Type.Object({ from: daySchema, price: priceFileSchema }, strict)),
    contextLength: Type.Optional(Type.Integer({ minimum: 1 })),
    maxOutput: Type.Optional(Type.Integer({ minimum: 1 })),
    minCacheableTokens: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The most tokens one image is charged as, where that is more than usual. */
    imageTokens: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Shorter recordings are charged for this length. */
    leastAudioSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
    quantization: Type.Optional(quantizationSchema),
    stability: Type.Optional(Type.Enum(['beta', 'deprecated'])),
    deprecatedAt: Type.Optional(daySchema),
    deactivatedAt: Type.Optional(daySchema),
    /** Override the provider's, value by value. */
    modifiers: Type.Optional(modifiersSchema),
    hostedTools: Type.Optional(hostedToolsSchema),
    dialect: Type.Optional(dialectOverridesSchema),
  },
  strict,
);

export type MappingFile = Static<typeof mappingFileSchema>;

/** One file of `catalogue/models/<family>`. */
export const modelFileSchema = Type.Object(
  {
    id: idSchema,
    name: Type.String({ minLength: 1 }),
    family: idSchema,
    description: Type.String({ minLength: 1, maxLength: 200 }),
    created: daySchema,
    /** In feeds of 0.2.0 and earlier; not used. */
    knowledge: Type.Optional(Type.String({ pattern: '^20\\d\\d(-\\d\\d){0,2}$' })),
    input: Type.Array(Type.Enum(['text', 'image', 'audio', 'video', 'pdf']), {
      minItems: 1,
      uniqueItems: true,
    }),
    output: Type.Array(Type.Enum(['text', 'audio', 'image', 'video', 'embedding', 'score']), {
      minItems: 1,
      uniqueItems: true,
    }),
    tokenizer: Type.String({ minLength: 1 }),
    openWeights: Type.Optional(Type.Boolean()),
    premium: Type.Optional(Type.Boolean()),
    successor: Type.Optional(idSchema),
    aliases: Type.Optional(Type.Array(idSchema, { uniqueItems: true })),
    mappings: Type.Array(mappingFileSchema, { minItems: 1 }),
  },
  strict,
);

export type ModelFile = Static<typeof modelFileSchema>;

/** The contents of all catalogue data files, before they are joined. */
const catalogueFilesSchema = Type.Object(
  { providers: Type.Array(providerFileSchema), models: Type.Array(modelFileSchema) },
  strict,
);

export type CatalogueFiles = Static<typeof catalogueFilesSchema>;
