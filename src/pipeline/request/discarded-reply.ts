import type { Reply } from './arrival.ts';

/** The reply to a request that no client waits for: reads at once whatever is sent. */
export class DiscardedReply implements Reply {
  isOver = false;
  hasBegun = false;
  readonly #onGone = new Set<() => void>();

  addHeader(): void {
    // It is discarded.
  }

  begin(): void {
    this.hasBegun = true;
  }

  write(_piece: string | Uint8Array, onSent?: () => void): boolean {
    onSent?.();
    return true;
  }

  end(): void {
    this.isOver = true;
  }

  send(): void {
    this.hasBegun = true;
    this.isOver = true;
  }

  onDrain(): void {
    // It is never full.
  }

  onGone(run: () => void): void {
    if (this.isOver) run();
    else this.#onGone.add(run);
  }

  offGone(run: () => void): void {
    this.#onGone.delete(run);
  }

  drop(): void {
    this.isOver = true;
  }

  /** Ends the request as if its client had left. */
  leave(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const run of this.#onGone) run();
  }
}
