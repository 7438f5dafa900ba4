import type { TObject, TSchema } from 'typebox';
import type { JsonObject } from '#base';
import type { CanonicalRequest, ClientFormatId, Dialect, PriceOptions, ToolTally } from '#canonical';

/** An object that an answer created in the provider account. */
export interface CreatedObject {
  id: string;
  /** Milliseconds since the Unix epoch, if the provider reports it. */
  expiresAt?: number;
}

/** How encoders of a format translate the search of another. */
export interface TranslatedSearch {
  of: ClientFormatId;
  /** The tool as requested. */
  asked: string;
  /** The tool that is sent. */
  sent: string;
  /** Whether it is dropped where functions are sent, too. */
  isAlone: boolean;
}

/** What the rest of the gateway must know of a format. Each folder states all of it in `facts.ts`. */
export interface FormatFacts {
  /** The member that names a provider's own tool: its `type`, or the only member of the object (`{ googleSearch: {} }`). */
  toolNamedBy: 'type' | 'member';
  /** The output modalities of Chat that a provider of the format can be asked for. */
  modalities: ReadonlySet<unknown>;
  /** Whether the requested tier is sent. */
  isTierSent(request: CanonicalRequest, dialect: Dialect): boolean;
  /** Price options other than the tier of a request that is forwarded unchanged. */
  findOwnOptions(request: CanonicalRequest, dialect: Dialect): PriceOptions;
  /** Native tools not billed by use: those the client runs, tool search, and an advisor, which is billed by tokens. */
  clientTools: RegExp | undefined;
  /** Native tools that agents offer to every model, so that they can be dropped. */
  dispensableTools: RegExp | undefined;
  /** The member of a body that holds the conversation. */
  conversation: 'messages' | 'input';
  translatedSearch: TranslatedSearch | undefined;
  /** Counts a native block that may be the use of a hosted tool. */
  tallyUse: ((tally: ToolTally, value: JsonObject) => void) | undefined;
  /** The objects that a native block or a citation names as created. */
  listCreatedByBlock(value: JsonObject): readonly CreatedObject[];
  listCreatedByCitation(value: JsonObject): readonly CreatedObject[];
}

/** The same of a format that clients use, too. */
export interface ClientFacts extends FormatFacts {
  /** The prefix of the names of error responses in the OpenAPI document. */
  title: string;
  requestSchema: TObject;
  answerSchema: TSchema;
  errorSchema: TSchema;
  /** Paths whose errors are in the format before an endpoint is found; of several, the last of `CLIENT_FORMATS` applies. */
  path: RegExp | undefined;
  /** Members by which a body is known to be of the format; of several, the last of `CLIENT_FORMATS` applies. */
  knownBy: readonly string[];
  /** The caller's names for the request fields that encoders refuse. */
  fieldNames: Readonly<Record<string, string>>;
  /** Price options whose field has another name. */
  optionNames: Readonly<Record<string, string>>;
  /** The format that shares the fields of this one. */
  related: ClientFormatId | undefined;
  /** Whether `fallbacks` is LiteLLM's. */
  hasFallbacks: boolean;
  /** Whether clients read `anthropic-ratelimit-*` besides `x-ratelimit-*`. */
  hasAnthropicHeaders: boolean;
  /** Whether requests name models that the provider runs besides the requested one: `fallbacks` and advisors. */
  runsOtherModels: boolean;
  /** Body fields that make the provider add input from elsewhere. */
  fetchingFields: readonly string[];
  /** Whether `web_search_options` requests searches. */
  hasSearchField: boolean;
  /** What limits the uses of hosted tools: one field for all, `max_uses` of each tool, or nothing. */
  boundsTools: 'max_tool_calls' | 'max_uses' | undefined;
}

/** Chat's field that asks for searches. */
export const SEARCH_FIELD = 'web_search_options';
export const TEXT_ONLY: ReadonlySet<unknown> = new Set(['text']);

const NO_OPTIONS: PriceOptions = {};
export const NO_OBJECTS: readonly CreatedObject[] = [];

/** For formats whose tier is always sent, and which have no other price options. */
export const TIER_ALONE = { isTierSent: () => true, findOwnOptions: () => NO_OPTIONS };
/** For formats without hosted tools. */
export const NO_HOSTED_TOOLS = {
  clientTools: undefined,
  dispensableTools: undefined,
  translatedSearch: undefined,
  tallyUse: undefined,
  listCreatedByBlock: () => NO_OBJECTS,
  listCreatedByCitation: () => NO_OBJECTS,
};
