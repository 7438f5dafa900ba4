import type { Reply } from '../request/arrival.ts';

const STALL_LIMIT_MS = 60_000;

/**
 * A streamed answer on its way out: applies backpressure while the caller reads slowly and drops callers that stop
 * reading.
 */
export class ReplyWriter {
  readonly #reply: Reply;
  #ready = true;
  #staller: NodeJS.Timeout | undefined;
  #onReady: (() => void) | undefined;

  constructor(reply: Reply) {
    this.#reply = reply;
    reply.onDrain(() => this.#resume());
  }

  /** Whether the caller accepts more; if not, `onReady` runs once it does. */
  get isReady(): boolean {
    return this.#ready;
  }

  onReady(run: () => void): void {
    this.#onReady = run;
  }

  write(piece: string | Buffer): void {
    if (this.#reply.write(piece) || !this.#ready) return;
    this.#ready = false;
    this.#staller = setTimeout(() => this.#reply.drop(), STALL_LIMIT_MS);
  }

  stop(): void {
    clearTimeout(this.#staller);
  }

  #resume(): void {
    clearTimeout(this.#staller);
    if (this.#ready) return;
    this.#ready = true;
    this.#onReady?.();
  }
}
