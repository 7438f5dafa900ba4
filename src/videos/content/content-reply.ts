/** The caller's side of the connection, as far as content needs it. */
export interface ContentReply {
  readonly isOver: boolean;
  addHeader(name: string, value: string): void;
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** `onSent` runs once the bytes have left; until then no others should come. */
  write(bytes: Uint8Array, onSent: () => void): void;
  end(text: string): void;
  onGone(run: () => void): void;
  /** Drops a caller who reads nothing, or an answer that cannot be finished. */
  drop(): void;
}

/** What of a request decides which bytes are sent. */
export interface ContentRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether only the head is wanted. */
  isHead: boolean;
  reply: ContentReply;
}
