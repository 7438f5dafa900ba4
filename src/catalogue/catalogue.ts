import type { Dialect, Effort, FormatId } from '#canonical';
import type {
  CloudId,
  MediaOperation,
  Operation,
  OperationPlace,
  ProtocolId,
  VideoAbility,
  VideoProtocolId,
} from './file-schema.ts';
import type { Modifiers } from './modifier-schema.ts';
import type { HostedTool } from './hosted-tool.ts';
import type { HostedToolEntry } from './hosted-tool-schema.ts';
import type { Price } from './price.ts';

/** Who serves models: where, in which format and with which credential. */
export interface Provider {
  id: string;
  name: string;
  format: FormatId;
  /** The cloud it is part of; absent where it is called over plain HTTP with a key. */
  cloud?: CloudId;
  /** Without a final slash; may hold `${NAME}` to be filled from the environment. Absent where the transport is built in. */
  baseUrl?: string;
  /** Variables that may hold its credential, in order of preference; empty where it takes none. */
  env: string[];
  auth: 'bearer' | 'x-api-key' | 'api-key' | 'x-goog-api-key';
  /** How it is asked for videos; absent: as its format does it. */
  videoProtocol?: VideoProtocolId;
  /** Whether it trains on what the API is sent; absent where its policy is not known, which counts as "may". */
  trainsOnData?: boolean;
  /** Whether it keeps nothing of what the API is sent; absent where that is not known, which counts as "no". */
  zeroRetention?: boolean;
  /** Where it processes what it is sent, such as `eu`; absent where that is not known, which counts as "anywhere". */
  regions?: string[];
  /** Whether it stops generating, and billing, when the connection closes. */
  cancellation: boolean;
  dialect: Dialect;
  /** Its dialects in the formats that only some of its models speak. */
  dialects?: Partial<Record<FormatId, Dialect>>;
  /** Where it is asked for what is no text generation, where that is not usual for its format. */
  media?: Partial<Record<MediaOperation, OperationPlace>>;
  /** What the tools cost that it runs itself, as written. */
  hostedTools?: readonly HostedToolEntry[];
  docs?: string;
  /** What price-changing request fields do to the price of every mapping. */
  modifiers?: Modifiers;
}

export type Stability = 'stable' | 'beta' | 'deprecated';

/** A model at one provider. */
export interface Mapping {
  modelId: string;
  providerId: string;
  /** The provider's name for the model. */
  externalId: string;
  /** The format it is spoken to in: the provider's own, unless it serves this model only in another. */
  format: FormatId;
  /** What it can be asked for; absent: text generation alone. */
  operations?: readonly Operation[];
  /** How it is asked for what is no text generation, where its provider's way is another. */
  protocol?: ProtocolId;
  /** What videos it makes, where it makes any. */
  video?: VideoAbility;
  /** Absent where it is not known: then the operator must allow unpriced models. */
  price?: Price;
  /** What price-changing request fields do to the price. */
  modifiers?: Modifiers;
  /** What tools cost that run at the provider; the first entry that fits counts, and a tool without one has no known price. */
  hostedTools?: readonly HostedTool[];
  contextLength?: number;
  maxOutput?: number;
  /** Shortest prompt the provider caches. */
  minCacheableTokens?: number;
  /** The most tokens one image is charged as, where that is more than usual. */
  imageTokens?: number;
  /** The provider's dialect, refined for this model. */
  dialect: Dialect;
  tools: boolean;
  vision: boolean;
  reasoning: boolean;
  efforts: Effort[];
  json: boolean;
  jsonSchema: boolean;
  cancellation: boolean;
  stability: Stability;
  /** Milliseconds since the Unix epoch. */
  deprecatedAt?: number;
  deactivatedAt?: number;
  /** Overrides the premium rule of the plans. */
  premium?: boolean;
}

/** A language model, whoever serves it. */
export interface Model {
  id: string;
  name: string;
  family: string;
  aliases: string[];
  description: string;
  /** Release, in milliseconds since the Unix epoch. */
  createdAt: number;
  /** What its training data reaches, such as `2025-03`. */
  knowledge?: string;
  modalities: { input: string[]; output: string[] };
  tokenizer: string;
  openWeights: boolean;
  /** Whether it costs nothing, whoever serves it. */
  free: boolean;
  premium?: boolean;
  /** The model to use once this one is gone. */
  successor?: string;
  mappings: Mapping[];
}

/** All providers and models this gateway knows. Never mutated: a change makes a new one. */
export interface Catalogue {
  providers: ReadonlyMap<string, Provider>;
  models: ReadonlyMap<string, Model>;
  /** Model ids and aliases, in lower case → model id. */
  names: ReadonlyMap<string, string>;
}
