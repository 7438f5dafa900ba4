interface DistinctNamesOptions {
  /** Separator between a name and its number. */
  separator: string;
  /** The key that must differ between two names; the name itself by default. */
  toKey?: (name: string) => string;
}

/**
 * Makes names distinct: a taken one gets the next number, which is remembered because callers may send thousands of
 * equal names.
 */
export class DistinctNames {
  readonly #options: DistinctNamesOptions;
  readonly #taken = new Set<string>();
  /** Created at the first name that was taken. */
  #numbers: Map<string, number> | undefined;

  constructor(options: DistinctNamesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#taken.size;
  }

  has(name: string): boolean {
    const { toKey = toItself } = this.#options;
    return this.#taken.has(toKey(name));
  }

  create(base: string): string {
    const { separator, toKey = toItself } = this.#options;
    let name = base;
    if (this.#taken.has(toKey(name))) {
      let number = this.#numbers?.get(base) ?? 1;
      while (this.#taken.has(toKey(name))) name = `${base}${separator}${(number += 1)}`;
      (this.#numbers ??= new Map()).set(base, number);
    }
    this.#taken.add(toKey(name));
    return name;
  }
}

function toItself(name: string): string {
  return name;
}
