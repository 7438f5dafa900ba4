import type { HttpHeaders } from '#base';
import type { InboundFormat } from '#wire';

/** The caller's side of the connection. Text is written as UTF-8, bytes unchanged. */
export interface Reply {
  /** True once the caller has disconnected or everything was sent. */
  readonly isOver: boolean;
  /** Whether a status was sent, so that it can no longer change. */
  readonly hasBegun: boolean;
  /** Adds a header to the answer, whichever is sent. */
  addHeader(name: string, value: string): void;
  /** Starts a streamed answer. */
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** False asks the sender to wait for `onDrain`. */
  write(piece: string | Uint8Array, onSent?: () => void): boolean;
  end(piece: string | Buffer): void;
  /** Sends a whole answer at once. */
  send(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): void;
  onDrain(run: () => void): void;
  /** Runs if the caller disconnects before the answer is complete. */
  onGone(run: () => void): void;
  /** Removes a callback, so that it keeps nothing in memory for the rest of the answer. */
  offGone(run: () => void): void;
  /** Disconnects a caller that stopped reading. */
  drop(): void;
}

/** A request as it arrived. */
export interface Arrival {
  requestId: string;
  /** The endpoint's path, such as `/v1/messages`. */
  endpoint: string;
  format: InboundFormat;
  /** The model that the address names, as at Azure; it counts before the one of the body. */
  model?: string | undefined;
  headers: HttpHeaders;
  /** The caller's address; forwarding headers count only from trusted proxies. */
  clientAddress?: string | undefined;
  /** Milliseconds since the Unix epoch, and on the monotonic clock. */
  startedAt: number;
  startedMs: number;
  /** The organization of the request, once it is known: the body counts towards its share of the memory. */
  tenant?: string | undefined;
  /** Reads the whole body; throws GatewayError if it is too large or does not arrive. */
  readBody(): Promise<Buffer>;
  reply: Reply;
  /** A copy whose answer is discarded: it does not wait where requests of clients do. */
  isCopy?: true;
}
