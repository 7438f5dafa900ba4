import type { Mapping } from '#catalogue';
import type { Health } from '#routing';
import { toHealthKey } from '#routing';

const MOST_ENTRIES = 10_000;

/** Remembers which mappings failed lately, on the monotonic clock. */
export class HealthBook {
  readonly #coolUntil = new Map<string, number>();

  get health(): Health {
    return this.#coolUntil;
  }

  /** Ranks a mapping last until `untilMs`. */
  coolDown(mapping: Mapping, untilMs: number, credentialId?: string): void {
    if (this.#coolUntil.size >= MOST_ENTRIES) this.#coolUntil.clear();
    this.#coolUntil.set(toHealthKey(mapping, credentialId), untilMs);
  }

  /** Clears the failures of a mapping that answered. */
  warmUp(mapping: Mapping, credentialId?: string): void {
    if (this.#coolUntil.size > 0) this.#coolUntil.delete(toHealthKey(mapping, credentialId));
  }
}
