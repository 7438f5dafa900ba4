/** The caller's side of the connection, as content needs it. */
export interface ContentReply {
  readonly isOver: boolean;
  addHeader(name: string, value: string): void;
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** `onSent` runs once the bytes have been sent; no others should be written before. */
  write(bytes: Uint8Array, onSent: () => void): void;
  end(text: string): void;
  onGone(run: () => void): void;
  /** Disconnects a caller that stopped reading, or whose answer cannot be completed. */
  drop(): void;
}

/** The parts of a request that select the bytes to send. */
export interface ContentRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether only the headers are requested. */
  isHead: boolean;
  reply: ContentReply;
}
