interface DistinctNamesOptions {
  /** What stands between a name and its number. */
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
    let number = this.#numbers.get(base) ?? 1;
    let name = number === 1 ? base : `${base}${separator}${number}`;
    while (this.#taken.has(toKey(name))) name = `${base}${separator}${(number += 1)}`;
    this.#taken.add(toKey(name));
    this.#numbers.set(base, number);
    return name;
  }
}

function toItself(name: string): string {
  return name;
}
