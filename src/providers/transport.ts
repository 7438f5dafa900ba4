import type { HttpHeaders } from '#base';
import type { UpstreamFailure } from '#errors';

/** A request relative to the provider's base URL. */
export interface UpstreamRequest {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
  /** Replaces the path of the base URL, at the same origin. */
  basePath?: string;
}

/** Receives the bytes of an answer. Nothing follows `onEnd` or `onFailure`. */
export interface AnswerSink {
  onHead(status: number, headers: HttpHeaders): void;
  onData(bytes: Buffer): void;
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

/** A request in progress. `abort` ends it at once and silences the sink. */
export interface UpstreamCall {
  /** How long it waited for a token and a connection; undefined while it does. */
  readonly connectMs?: number | undefined;
  abort(): void;
  pause(): void;
  resume(): void;
}

/** Sends requests to a provider: URL, credential, connection. Independent of formats. */
export interface Transport {
  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall;
  /** Accepts no more requests and closes once those in progress are done. */
  drain(): Promise<void>;
  /** Closes at once. */
  close(): Promise<void>;
}
