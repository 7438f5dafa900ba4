import type { HttpHeaders, JsonObject, JsonValue, SseMessage } from '#base';
import type {
  CanonicalRequest,
  ClientFormatId,
  FormatId,
  GenerationEvent,
  GenerationResult,
  Target,
  Usage,
} from '#canonical';
import type { GatewayError, UpstreamFailure } from '#errors';

/** What an inbound format needs to write an answer. */
export interface ReplyContext {
  request: Pick<CanonicalRequest, 'stream' | 'streamUsage' | 'choices' | 'legacyCalls'>;
  /** The id to use where the upstream's own does not fit the format (`msg_…`, `chatcmpl-…`). */
  answerId: string;
  /** The model name from the request, or the name of another model that answers; known with the first event. */
  readonly model: string;
  /** Seconds since the Unix epoch, for `created`. */
  createdSeconds: number;
  /** Estimated prompt tokens, for formats that report usage before the upstream does. */
  inputEstimate: number;
  /** Extra members of a Chat answer, and of any that was continued, read once at its end; absent unless requested. */
  describe?(): AnswerFacts;
  echo?: RequestEcho;
  /** Receives the complete answer as sent to the caller, if it is to be stored. */
  remember?(answer: JsonObject): void;
}

/** The choice that a stream encoder writes, and whether it is the last to end. */
export interface Choice {
  index: number;
  isLast(): boolean;
}

/** A tool inside a namespace, as calls identify it. */
export interface NamespacedName {
  namespace: string;
  name: string;
}

/** What an answer needs from its request; small, because it is held until the answer ends. */
export interface RequestEcho {
  /** Request members that the answer repeats. */
  members: JsonObject;
  /** The namespaced tools of the request by the flat name that upstreams know. */
  placedNames: ReadonlyMap<string, NamespacedName>;
}

/** What the gateway adds to an answer. */
export interface AnswerFacts {
  /** Exact cost in USD as a number for `usage.cost`. */
  costUsd: number;
  /** `metadata`: request id, used provider and model, attempts. */
  metadata?: JsonObject;
}

export interface StreamEncoder {
  /** Returns the frames of one event; none if the format does not show it. Errors and ends yield the terminal group. */
  push(event: GenerationEvent): SseMessage[];
  /** A keep-alive frame as text; only valid between events, never after the end. */
  ping(): string;
}

/** The client's side of a format: converts bytes to canonical and back. Synchronous; only encoders have state. */
export interface InboundFormat {
  id: ClientFormatId;
  /** The prefix of the ids that the gateway gives to answers. */
  answerIdPrefix: string;
  /** Which status of the error table its clients get. */
  errorStatus: 'status' | 'messagesStatus';
  /** Throws GatewayError `invalid_request` or `wrong_format` with the offending path. */
  decodeRequest(body: JsonObject, headers: HttpHeaders): CanonicalRequest;
  createEcho?(request: CanonicalRequest): RequestEcho;
  /** How requests continue stored ones; absent where every request holds its whole conversation. */
  memory?: MemoryFormat;
  encodeResult(result: GenerationResult, context: ReplyContext): JsonObject;
  /** Encodes several generations as one answer with the usage of all; absent where the format has no choices. */
  encodeChoices?(
    results: readonly GenerationResult[],
    usage: Usage | undefined,
    context: ReplyContext,
  ): JsonObject;
  /** `choice`: absent for a single one. */
  createStreamEncoder(context: ReplyContext, choice?: Choice): StreamEncoder;
  encodeError(error: GatewayError, requestId: string): JsonObject;
}

/** A request's options for stored answers. */
interface MemoryOptions {
  /** Whether its answer is to be stored. */
  isKept: boolean;
  /** The answer it continues. */
  previousId?: string;
  /** Referenced items of stored answers. */
  itemIds: string[];
}

/** The stored data found for a request. */
export interface RecalledConversation {
  past: readonly JsonValue[];
  items: ReadonlyMap<string, JsonObject>;
}

/** A body with the whole conversation, and the new items in it. */
export interface JoinedBody {
  body: JsonObject;
  added: JsonValue[];
}

export interface MemoryFormat {
  read(body: JsonObject): MemoryOptions;
  join(body: JsonObject, recalled: RecalledConversation): JoinedBody;
}

export interface StreamDecoder {
  /** Never throws: unreadable input yields a `generation-error` (kind `garbled`) and ends the stream. */
  push(message: SseMessage): GenerationEvent[];
  /** Call when the bytes end; without a proper end this yields a `generation-error` (kind `broken`). */
  close(): GenerationEvent[];
}

/** An upstream answer that is an error, or claims success with an error inside. */
export interface FailedResponse {
  status: number;
  headers: HttpHeaders;
  body: string;
}

/** One request to one upstream, with the state needed to read its answer (renamed tools, shortened ids). */
export interface Exchange {
  /** Path below the provider's base URL, such as `/chat/completions`. */
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
  /** Reads a complete answer; a body that is not an answer of this format is a failure. */
  decodeResult(body: JsonObject): GenerationResult | UpstreamFailure;
  createStreamDecoder(): StreamDecoder;
}

/** One request to an upstream's token counter. */
export interface CountExchange extends Pick<Exchange, 'path' | 'headers' | 'body'> {
  /** The number of tokens; `undefined` if the answer has none. */
  decode(body: JsonObject): number | undefined;
}

/** The provider's side of a format. */
export interface OutboundFormat {
  id: FormatId;
  /** Counts the prompt of an exchange; absent where the format has no counter. */
  openCount?(exchange: Exchange, target: Target): CountExchange;
  /** Throws GatewayError `unsupported_feature` naming what the target cannot express. */
  openExchange(request: CanonicalRequest, target: Target): Exchange;
  decodeFailure(response: FailedResponse): UpstreamFailure;
}

/**
 * Replaces what a format lacks in a request, before it is encoded; throws GatewayError where nothing can replace it.
 */
export type RequestChange = (request: CanonicalRequest, target: Target, format: FormatId) => CanonicalRequest;

/** Distinguishes a failure from a result. */
export function isFailure(value: GenerationResult | UpstreamFailure): value is UpstreamFailure {
  return 'kind' in value;
}
