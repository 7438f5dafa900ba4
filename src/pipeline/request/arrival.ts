import type { InboundFormat, RequestHeaders } from '#wire';

/** The caller's side of the connection. Text is written as UTF-8, bytes as they are. */
export interface Reply {
  /** True once the caller has left or everything was sent. */
  readonly isOver: boolean;
  /** Whether a status was sent, so that no other can follow. */
  readonly hasBegun: boolean;
  /** Adds a header to whatever answer is sent. */
  addHeader(name: string, value: string): void;
  /** Starts a streamed answer. */
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** False asks the sender to wait for `onDrain`. */
  write(piece: string | Uint8Array, onSent?: () => void): boolean;
  end(piece: string | Buffer): void;
  /** Sends a whole answer at once. */
  send(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): void;
  onDrain(run: () => void): void;
  /** Runs when the caller leaves before the answer was complete. */
  onGone(run: () => void): void;
  /** What no longer cares is not told, nor kept while the rest of the answer is awaited. */
  offGone(run: () => void): void;
  /** Drops a caller who reads nothing. */
  drop(): void;
}

/** A request for a generation as it came in. */
export interface Arrival {
  requestId: string;
  /** The endpoint's path, such as `/v1/messages`. */
  endpoint: string;
  format: InboundFormat;
  headers: RequestHeaders;
  /** The address of the caller; what headers claim is believed of trusted proxies alone. */
  clientAddress?: string | undefined;
  /** Milliseconds since the Unix epoch, and on the monotonic clock. */
  startedAt: number;
  startedMs: number;
  /** Reads the whole body; throws GatewayError where it is too large or does not arrive. */
  readBody(): Promise<Buffer>;
  reply: Reply;
}
