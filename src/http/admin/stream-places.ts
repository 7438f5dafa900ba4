const MOST = 256;
const MOST_EACH = 16;

/** Open streams of a gateway: limited in total and per caller. */
export class StreamPlaces {
  readonly #taken = new Map<string, number>();
  #count = 0;

  /** Returns how to give the place back; undefined if all are taken. */
  take(actorId: string): (() => void) | undefined {
    const own = this.#taken.get(actorId) ?? 0;
    if (this.#count >= MOST || own >= MOST_EACH) return undefined;
    this.#count += 1;
    this.#taken.set(actorId, own + 1);
    return () => this.#release(actorId);
  }

  #release(actorId: string): void {
    const left = (this.#taken.get(actorId) ?? 1) - 1;
    this.#count -= 1;
    if (left === 0) this.#taken.delete(actorId);
    else this.#taken.set(actorId, left);
  }
}
