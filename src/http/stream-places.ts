import type { AdminCaller } from '#accounts';

const MOST = 256;
const MOST_EACH = 16;
/** An organization can create any number of admin keys. */
const MOST_OF_ORGANIZATION = 64;

/** Open streams of a gateway: limited in total, per caller and per organization that callers are bound to. */
export class StreamPlaces {
  readonly #taken = new Map<string, number>();
  #count = 0;

  /** Returns how to give the place back; undefined if all are taken. */
  take({
    actorId,
    organizationId,
  }: Pick<AdminCaller, 'actorId' | 'organizationId'>): (() => void) | undefined {
    const holders: [name: string, most: number][] = [[actorId, MOST_EACH]];
    if (organizationId !== undefined) holders.push([organizationId, MOST_OF_ORGANIZATION]);
    const isFull = holders.some(([name, most]) => (this.#taken.get(name) ?? 0) >= most);
    if (this.#count >= MOST || isFull) return undefined;
    this.#add(holders, 1);
    return () => this.#add(holders, -1);
  }

  #add(holders: readonly [name: string, most: number][], count: number): void {
    this.#count += count;
    for (const [name] of holders) {
      const taken = (this.#taken.get(name) ?? 0) + count;
      if (taken === 0) this.#taken.delete(name);
      else this.#taken.set(name, taken);
    }
  }
}
