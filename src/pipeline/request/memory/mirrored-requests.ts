import type { Mirror } from '#routing';
import type { DiscardedReply } from '../discarded-reply.ts';

/** The bodies of all open copies together. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The copies of requests under way, with those that wait for the end of their originals. */
export class MirroredRequests {
  readonly #counts = new Map<string, number>();
  readonly #replies = new Set<DiscardedReply>();
  readonly #waiting: (() => void)[] = [];
  #bytes = 0;
  #isClosed = false;

  /** Whether the gateway stops: no copy is sent any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Takes a place for a copy; returns a function that gives it back, once, or undefined if there is none. */
  take({ name, concurrency }: Pick<Mirror, 'name' | 'concurrency'>, bytes: number): (() => void) | undefined {
    const count = this.#counts.get(name) ?? 0;
    if (this.#isClosed || count >= concurrency || this.#bytes + bytes > MOST_BYTES) return undefined;
    this.#counts.set(name, count + 1);
    this.#bytes += bytes;
    return () => {
      const left = (this.#counts.get(name) ?? 1) - 1;
      if (left > 0) this.#counts.set(name, left);
      else this.#counts.delete(name);
      this.#bytes -= bytes;
    };
  }

  /** Adds a copy that is being sent. */
  add(reply: DiscardedReply): void {
    this.#replies.add(reply);
  }

  remove(reply: DiscardedReply): void {
    this.#replies.delete(reply);
    if (this.#replies.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Sends no more; those under way continue. */
  close(): void {
    this.#isClosed = true;
  }

  /** Ends those under way; they are settled as if their clients had left. */
  cancel(): void {
    for (const reply of this.#replies) reply.leave();
  }

  /** Resolves once none is under way. */
  idle(): Promise<void> {
    if (this.#replies.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
