interface DistinctNamesOptions {
  /** The text between a name and its number. */
  separator: string;
  /** What two names must not have in common; the name itself unless given. */
  toKey?: (name: string) => string;
}

/** Names that differ: one that is taken gets the next number, which is remembered, as callers may send thousands of the same. */
export class DistinctNames {
  readonly #options: DistinctNamesOptions;
  readonly #taken = new Set<string>();
  readonly #numbers = new Map<string, number>();

  constructor(options: DistinctNamesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#taken.size;
  }

  create(base: string): string {
    const { separator, toKey = toItself } = this.#options;
    let name = base;
    if (this.#taken.has(toKey(name))) {
      let number = this.#numbers.get(base) ?? 1;
      while (this.#taken.has(toKey(name))) name = `${base}${separator}${(number += 1)}`;
      this.#numbers.set(base, number);
    }
    this.#taken.add(toKey(name));
    return name;
  }
}

function toItself(name: string): string {
  return name;
}
