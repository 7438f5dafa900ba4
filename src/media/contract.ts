import type { AccountObject } from '#canonical';
import type { JsonObject, SseMessage } from '#base';
import type { Usage } from '#canonical';
import type { Mapping, MediaOperation, ProtocolId, UnitCount } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { FailedResponse } from '#wire';
import type { TSchema } from 'typebox';

/** A file of a form, held in memory. */
export interface FormFile {
  filename: string;
  contentType: string;
  bytes: Buffer;
}

/** A request body: its values and files. */
export interface MediaInput {
  body: JsonObject;
  files: ReadonlyMap<string, readonly FormFile[]>;
  /** Whether the values were form text. */
  isForm: boolean;
}

/** A used or possible quantity, in tokens and units. */
export interface Quantity {
  usage: Usage;
  units: readonly UnitCount[];
}

/** A quantity that was not reported; exact if the request alone decides it. */
export type Estimate = Quantity & { isExact?: boolean };

/** A complete answer for the caller, and its usage if the provider reported it. */
export interface MediaResult {
  contentType: string;
  /** An object to print as JSON, or bytes to send unchanged. */
  body: JsonObject | Buffer;
  reported?: Quantity;
}

/** A complete answer from the provider. */
export interface WholeAnswer {
  contentType: string;
  bytes: Buffer;
}

/** The caller's message and the usage in one event of a provider's stream. */
export interface EventReading {
  message?: SseMessage;
  /** Instead of a message, if the caller gets bytes. */
  bytes?: Buffer;
  reported?: Quantity;
  /** The answer is complete with this event. */
  isLast?: boolean;
  failure?: UpstreamFailure;
}

/** How an answer is read: as a whole, event by event, or as bytes passed on as they arrive. */
type AnswerType =
  | { type: 'whole'; decode(answer: WholeAnswer): MediaResult | UpstreamFailure }
  | {
      type: 'events';
      read(message: SseMessage): EventReading;
      /** The content type of the events' bytes, if the caller gets bytes. */
      contentType?: string;
      /** For providers that send those bytes directly instead. */
      mediaTypes?: RegExp;
      /** For providers that send a complete answer instead. */
      decode?(answer: WholeAnswer): MediaResult | UpstreamFailure;
    }
  | { type: 'bytes'; mediaTypes: RegExp };

/** One request to one provider. */
export interface MediaExchange {
  /** Below the provider's base path. */
  path: string;
  headers: Record<string, string>;
  /** An object that is serialized as JSON, or the bytes of a form. */
  body: JsonObject | Buffer;
  answer: AnswerType;
  decodeFailure(response: FailedResponse): UpstreamFailure;
}

/** A media request, decoded and measured. */
export interface MediaTask {
  /** Objects in a provider account that the body names; absent if there are none. */
  accountObjects?: AccountObject[];
  /** `service_tier`, in lower case. */
  serviceTier?: string;
  operation: MediaOperation;
  /** The model as the caller wrote it. */
  model: string;
  stream: boolean;
  /** An estimate of its input in tokens, for rate limits. */
  inputEstimate: number;
  /**
   * Whether it creates nothing, and its answer is short and not streamed: a byte-identical request may get the same answer,
   * and a second provider may be asked while the first is silent.
   */
  isReplayable: boolean;
  /** Whether a model works long before the answer begins. */
  isSlow: boolean;
  /** The most it can use at a mapping; throws GatewayError if something in the request has no price there. */
  bound(mapping: Mapping): Quantity;
  /** The assumed usage if the provider reports none, after this many bytes of answer. */
  estimate(mapping: Mapping, answerBytes: number): Estimate;
  /** Throws GatewayError `unsupported_feature` naming what the protocol does not support. */
  openExchange(mapping: Mapping, protocol: ProtocolId): MediaExchange;
}

/** A medium as an endpoint serves it. */
export interface Medium {
  operation: MediaOperation;
  /** The path of its endpoint. */
  path: string;
  body: TSchema;
  /** Absent if the answer is no JSON. */
  answer?: TSchema;
  /** The kinds of bodies it accepts. */
  intake: 'json' | 'form' | 'either';
  /** Throws GatewayError `invalid_request` with the path at fault. */
  decode(input: MediaInput): MediaTask;
}

/** Distinguishes a failure from a result. */
export function isFailure(value: MediaResult | UpstreamFailure): value is UpstreamFailure {
  return 'kind' in value;
}
