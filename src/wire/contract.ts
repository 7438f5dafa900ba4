import type { JsonObject, JsonValue, SseMessage } from '#base';
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

/** Request headers as `node:http` gives them: lower-case names. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What an inbound format needs to know to write an answer. */
export interface ReplyContext {
  request: Pick<CanonicalRequest, 'stream' | 'streamUsage' | 'choices' | 'legacyCalls'>;
  /** Which of several choices a stream encoder writes, and whether it is the last to end; absent where there is one. */
  choice?: { index: number; isLast(): boolean };
  /** Id of the answer where the upstream's own does not fit the format (`msg_…`, `chatcmpl-…`). */
  answerId: string;
  /** The model name the caller sees: the one it asked for. */
  model: string;
  /** Seconds since the Unix epoch, for `created`. */
  createdSeconds: number;
  /** The gateway's estimate of the prompt in tokens, for formats that tell usage before the upstream does. */
  inputEstimate: number;
  /** Extra members of a Chat answer, asked for once at its end; absent when the caller wants none. */
  describe?(): AnswerFacts;
  /** Members of the request that the answer repeats, where the format does (`InboundFormat.createEcho`). */
  echo?: JsonObject;
  /** Takes the complete answer as the caller sees it, where it is to be kept. */
  remember?(answer: JsonObject): void;
}

/** What the gateway adds to an answer of its own format. */
export interface AnswerFacts {
  /** Exact cost in USD as a number for `usage.cost`. */
  costUsd: number;
  /** `metadata`: request id, used provider and model, attempts. */
  metadata?: JsonObject;
}

export interface StreamEncoder {
  /** Frames for one event; none for events the format does not show. Errors and ends give the terminal group. */
  push(event: GenerationEvent): SseMessage[];
  /** A keep-alive frame in this format as text ready to send; only between events, never after the end. */
  ping(): string;
}

/** The client's side of a format: bytes ↔ canonical, nothing else. Synchronous and without state but the encoder's. */
export interface InboundFormat {
  id: ClientFormatId;
  /** Throws GatewayError `invalid_request` or `wrong_format` with the offending path. */
  decodeRequest(body: JsonObject, headers: RequestHeaders): CanonicalRequest;
  /** What answers repeat of a request: small, because it is kept while the answer grows. */
  createEcho?(request: CanonicalRequest): JsonObject;
  /** How requests go on from stored ones; absent where every request holds its whole conversation. */
  memory?: MemoryFormat;
  encodeResult(result: GenerationResult, context: ReplyContext): JsonObject;
  /** Several generations as one answer with the usage of all; absent where the format has no choices. */
  encodeChoices?(
    results: readonly GenerationResult[],
    usage: Usage | undefined,
    context: ReplyContext,
  ): JsonObject;
  createStreamEncoder(context: ReplyContext): StreamEncoder;
  encodeError(error: GatewayError, requestId: string): JsonObject;
}

/** What a request wants of stored answers. */
interface MemoryOptions {
  /** Whether its own answer is to be kept. */
  isKept: boolean;
  /** The answer it goes on from. */
  previousId?: string;
  /** Items of stored answers that it refers to. */
  itemIds: string[];
}

/** What was found of it. */
export interface Recalled {
  past: readonly JsonValue[];
  items: ReadonlyMap<string, JsonObject>;
}

/** A body that holds its whole conversation, and the items that are new in it. */
export interface JoinedBody {
  body: JsonObject;
  added: JsonValue[];
}

export interface MemoryFormat {
  read(body: JsonObject): MemoryOptions;
  join(body: JsonObject, recalled: Recalled): JoinedBody;
}

export interface StreamDecoder {
  /** Never throws: what cannot be read becomes a `generation-error` (kind `garbled`) and ends the stream. */
  push(message: SseMessage): GenerationEvent[];
  /** The bytes ended; without a proper end this gives `generation-error` (kind `broken`). */
  close(): GenerationEvent[];
}

/** An upstream's answer that is not a success, or claims success with an error inside. */
export interface FailedResponse {
  status: number;
  headers: RequestHeaders;
  body: string;
}

/** One request to one upstream, with what must be remembered to read its answer (renamed tools, shortened ids). */
export interface Exchange {
  /** Path below the provider's base URL, such as `/chat/completions`. */
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
  /** Reads a complete answer; a body that is no answer of this format is a failure. */
  decodeResult(body: JsonObject): GenerationResult | UpstreamFailure;
  createStreamDecoder(): StreamDecoder;
}

/** The provider's side of a format. */
export interface OutboundFormat {
  id: FormatId;
  /** Throws GatewayError `unsupported_feature` naming what the target cannot say. */
  openExchange(request: CanonicalRequest, target: Target): Exchange;
  decodeFailure(response: FailedResponse): UpstreamFailure;
}

/** Tells a failure from a result. */
export function isFailure(value: GenerationResult | UpstreamFailure): value is UpstreamFailure {
  return 'kind' in value;
}
