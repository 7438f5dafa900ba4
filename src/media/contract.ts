import type { AccountObject } from '#canonical';
import type { JsonObject, SseMessage } from '#base';
import type { Usage } from '#canonical';
import type { Mapping, MediaOperation, ProtocolId, UnitCount } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { FailedResponse } from '#wire';

/** A file of a form, kept in memory. */
export interface FormFile {
  filename: string;
  contentType: string;
  bytes: Buffer;
}

/** A request body: its named values, and the files that came with them. */
export interface MediaInput {
  body: JsonObject;
  files: ReadonlyMap<string, readonly FormFile[]>;
  /** Whether the values came as the text of a form. */
  isForm: boolean;
}

/** What was or may be used: tokens, and what is counted by the unit. */
export interface Quantity {
  usage: Usage;
  units: readonly UnitCount[];
}

/** A quantity that was not told; exact where the request alone decides it. */
export type Estimate = Quantity & { isExact?: boolean };

/** A complete answer as the caller gets it, and what it used where the provider told. */
export interface MediaResult {
  contentType: string;
  /** What is printed as JSON, or the very bytes. */
  body: JsonObject | Buffer;
  reported?: Quantity;
}

/** A complete answer as the provider sent it. */
export interface WholeAnswer {
  contentType: string;
  bytes: Buffer;
}

/** What one event of a provider's stream is to the caller and to the bill. */
export interface EventReading {
  message?: SseMessage;
  /** In place of a message, where the caller gets bytes. */
  bytes?: Buffer;
  reported?: Quantity;
  /** The answer is complete with this event. */
  isLast?: boolean;
  failure?: UpstreamFailure;
}

/** How an answer is read: as a whole, event by event, or as bytes that are passed on as they come. */
type AnswerManner =
  | { manner: 'whole'; decode(answer: WholeAnswer): MediaResult | UpstreamFailure }
  | {
      manner: 'events';
      read(message: SseMessage): EventReading;
      /** What the bytes of its events are, where the caller gets bytes. */
      contentType?: string;
      /** For providers that send those bytes themselves all the same. */
      mediaTypes?: RegExp;
      /** For providers that answer as a whole all the same. */
      decode?(answer: WholeAnswer): MediaResult | UpstreamFailure;
    }
  | { manner: 'bytes'; mediaTypes: RegExp };

/** One request to one provider. */
export interface MediaExchange {
  /** Below the provider's base path. */
  path: string;
  headers: Record<string, string>;
  /** What is printed as JSON; or the bytes of a form. */
  body: JsonObject | Buffer;
  answer: AnswerManner;
  decodeFailure(response: FailedResponse): UpstreamFailure;
}

/** What a caller asks of a medium, decoded and sized. */
export interface MediaTask {
  /** What the body names of an account at a provider; absent where that is nothing. */
  accountObjects?: AccountObject[];
  /** `service_tier`, in lower case. */
  serviceTier?: string;
  operation: MediaOperation;
  /** The model as the caller wrote it. */
  model: string;
  stream: boolean;
  /** A guess at its input in tokens, for rate limits. */
  inputEstimate: number;
  /** Whether a byte-identical request may get the same answer again. */
  isReplayable: boolean;
  /** Whether a model works on the answer for long before it begins. */
  isSlow: boolean;
  /** The most it can use at a mapping; throws GatewayError where what it asks for has no price there. */
  bound(mapping: Mapping): Quantity;
  /** What it is taken to have used where the provider does not tell, after so many bytes of answer. */
  estimate(mapping: Mapping, answerBytes: number): Estimate;
  /** Throws GatewayError `unsupported_feature` naming what the protocol cannot say. */
  openExchange(mapping: Mapping, protocol: ProtocolId): MediaExchange;
}

/** A medium as an endpoint offers it. */
export interface Medium {
  operation: MediaOperation;
  /** What bodies it takes. */
  intake: 'json' | 'form' | 'either';
  /** Throws GatewayError `invalid_request` with the offending path. */
  decode(input: MediaInput): MediaTask;
}

/** Tells a failure from a result. */
export function isFailure(value: MediaResult | UpstreamFailure): value is UpstreamFailure {
  return 'kind' in value;
}
