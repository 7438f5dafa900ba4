import type { Dialect, Effort, FormatId } from '#canonical';
import type {
  Cancellation,
  CloudId,
  MediaOperation,
  Operation,
  OperationPlace,
  ProtocolId,
  VideoAbility,
  VideoProtocolId,
} from './schema/file-schema.ts';
import type { Quantization } from './schema/quantization.ts';
import type { Modifiers } from './schema/modifier-schema.ts';
import type { HostedTool } from './hosted-tool.ts';
import type { HostedToolEntry } from './schema/hosted-tool-schema.ts';
import type { Price } from './price.ts';

/** The displayed name of an unnamed credential, which is stored without a name. */
export const DEFAULT_CREDENTIAL = 'default';

/** A provider of models: its address, format and credential. */
export interface Provider {
  id: string;
  name: string;
  format: FormatId;
  /** The cloud it belongs to; absent if it is called over plain HTTP with a key. */
  cloud?: CloudId;
  /**
   * Without a trailing slash; may hold `${NAME}` placeholders for environment variables. Absent if the transport is
   * built in.
   */
  baseUrl?: string;
  /** Variables that may hold its credential, in order of preference; empty if it needs none. */
  env: string[];
  auth: 'bearer' | 'x-api-key' | 'api-key' | 'x-goog-api-key';
  /** The protocol of its video jobs; its format's by default. */
  videoProtocol?: VideoProtocolId;
  /** Whether it trains on API data; absent if its policy is unknown, which counts as "may". */
  trainsOnData?: boolean;
  /** Whether it retains no API data; absent if unknown, which counts as "no". */
  zeroRetention?: boolean;
  /** Where it processes API data, such as `eu`; absent if unknown, which counts as "anywhere". */
  regions?: string[];
  /** Which requests it stops, and stops billing, when their connection is closed. */
  cancellation: Cancellation;
  dialect: Dialect;
  /** Its dialects in formats that only some of its models use. */
  dialects?: Partial<Record<FormatId, Dialect>>;
  /** Addresses of media operations that differ from its format's. */
  media?: Partial<Record<MediaOperation, OperationPlace>>;
  /** Prices of tools that run at the provider, as written. */
  hostedTools?: readonly HostedToolEntry[];
  docs?: string;
  /** How request fields change the price of every mapping. */
  modifiers?: Modifiers;
}

export type Stability = 'stable' | 'beta' | 'deprecated';

/** A model at one provider. */
export interface Mapping {
  modelId: string;
  providerId: string;
  /** The provider's name for the model. */
  externalId: string;
  /**
   * The only region it processes data in, such as `eu`. Such a mapping is used only if a request names its external id,
   * because most credentials cannot call it.
   */
  region?: string;
  /** The format used for it: the provider's own, unless it serves this model only in another. */
  format: FormatId;
  /** Supported operations; absent: text generation alone. */
  operations?: readonly Operation[];
  /** The protocol for media, if it differs from the provider's. */
  protocol?: ProtocolId;
  /** The videos it generates, if any. */
  video?: VideoAbility;
  /** Absent if unknown: then the operator must allow unpriced models. */
  price?: Price;
  /** How request fields change the price. */
  modifiers?: Modifiers;
  /**
   * Prices of tools that run at the provider; the first matching entry counts, and a tool without one has no known
   * price.
   */
  hostedTools?: readonly HostedTool[];
  contextLength?: number;
  maxOutput?: number;
  /** Shortest prompt the provider caches. */
  minCacheableTokens?: number;
  /** The most tokens charged for one image, if more than usual. */
  imageTokens?: number;
  /** Shorter recordings are charged for this length. */
  leastAudioSeconds?: number;
  /** The precision of its weights; absent if unknown. */
  quantization?: Quantization;
  /** The provider's dialect, refined for this model. */
  dialect: Dialect;
  tools: boolean;
  vision: boolean;
  reasoning: boolean;
  efforts: Effort[];
  json: boolean;
  jsonSchema: boolean;
  /** As the provider’s. */
  cancellation: Cancellation;
  stability: Stability;
  /** Milliseconds since the Unix epoch. */
  deprecatedAt?: number;
  deactivatedAt?: number;
  /** Overrides the premium rule of the plans. */
  premium?: boolean;
}

/** A language model, independent of its providers. */
export interface Model {
  id: string;
  name: string;
  family: string;
  aliases: string[];
  description: string;
  /** Release, in milliseconds since the Unix epoch. */
  createdAt: number;
  modalities: { input: string[]; output: string[] };
  tokenizer: string;
  openWeights: boolean;
  /** Whether it is free at every provider. */
  free: boolean;
  premium?: boolean;
  /** The model to use once this one is deactivated. */
  successor?: string;
  mappings: Mapping[];
}

/** All known providers and models. Never mutated: changes create a new catalogue. */
export interface Catalogue {
  providers: ReadonlyMap<string, Provider>;
  models: ReadonlyMap<string, Model>;
  /** Model ids and aliases, in lower case → model id. */
  names: ReadonlyMap<string, string>;
}
