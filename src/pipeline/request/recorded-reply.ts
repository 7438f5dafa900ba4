import type { PayloadText } from '#logs';
import type { Reply } from './arrival.ts';
import { MOST_PAYLOAD_BYTES } from '#logs';

/** A caller's reply that records what is sent: the gateway's own headers, which hold no credential, and the body. */
export class RecordedReply implements Reply {
  readonly #reply: Reply;
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #bytes = 0;
  status = 0;
  readonly headers: Record<string, string> = {};
  /** The request body, once it has arrived. */
  request: PayloadText = { kept: Buffer.alloc(0), bytes: 0 };

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  get contentType(): string {
    return this.headers['content-type'] ?? '';
  }

  get answer(): PayloadText {
    return { kept: Buffer.concat(this.#chunks), bytes: this.#bytes };
  }

  get isOver(): boolean {
    return this.#reply.isOver;
  }

  get hasBegun(): boolean {
    return this.#reply.hasBegun;
  }

  addHeader(name: string, value: string): void {
    if (!this.hasBegun) this.headers[name] = value;
    this.#reply.addHeader(name, value);
  }

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.#recordHead(status, headers);
    this.#reply.begin(status, headers);
  }

  write(piece: string | Uint8Array, onSent?: () => void): boolean {
    this.#record(piece);
    return this.#reply.write(piece, onSent);
  }

  end(piece: string | Buffer): void {
    this.#record(piece);
    this.#reply.end(piece);
  }

  send(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): void {
    this.#recordHead(status, headers);
    this.#record(body);
    this.#reply.send(status, headers, body);
  }

  onDrain(run: () => void): void {
    this.#reply.onDrain(run);
  }

  onGone(run: () => void): void {
    this.#reply.onGone(run);
  }

  offGone(run: () => void): void {
    this.#reply.offGone(run);
  }

  drop(): void {
    this.#reply.drop();
  }

  #recordHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.hasBegun) return;
    this.status = status;
    Object.assign(this.headers, headers);
  }

  #record(piece: string | Uint8Array): void {
    if (this.isOver || piece.length === 0) return;
    const bytes = Buffer.from(piece);
    this.#bytes += bytes.length;
    if (this.#kept >= MOST_PAYLOAD_BYTES) return;
    const chunk = bytes.subarray(0, MOST_PAYLOAD_BYTES - this.#kept);
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
  }
}
