import type { UpstreamFailure } from '#errors';
import type { RequestHeaders } from '#wire';

/** A request ready to be sent, relative to the provider's base URL. */
export interface UpstreamRequest {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
  /** Stands for the path of the base URL, at the same origin. */
  basePath?: string;
}

/** Where the bytes of an answer go. After `onEnd` or `onFailure` nothing more comes. */
export interface AnswerSink {
  onHead(status: number, headers: RequestHeaders): void;
  onData(bytes: Buffer): void;
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

/** A request under way. `abort` ends it at once and silences the sink. */
export interface UpstreamCall {
  abort(): void;
  pause(): void;
  resume(): void;
}

/** Carries a request to a provider: URL, credential, connection. Knows nothing of formats. */
export interface Transport {
  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall;
  /** Takes no more requests and ends once those under way are over. */
  drain(): Promise<void>;
  /** Ends at once. */
  close(): Promise<void>;
}
