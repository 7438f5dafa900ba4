/** The labels of a series, by name. */
export type Labels = Readonly<Record<string, string>>;

const OTHER = 'other';
/** So many more series keep their first label, such as the provider, while the second is `other`. */
const MOST_FIRST_LABELS = 10;

/** The series of one metric by the values of its labels: one map lookup per event. */
export class SeriesMap<Value> {
  /** The names of the labels. */
  readonly names: readonly string[];
  readonly #most: number;
  readonly #create: () => Value;
  readonly #series = new Map<string, { labels: Labels; value: Value }>();

  /** Beyond `most` series, further ones are counted together. */
  constructor(names: readonly string[], most: number, create: () => Value) {
    this.names = names;
    this.#most = most;
    this.#create = create;
  }

  /** The value of a series, which is created if it is new. */
  of(first: string, second = '', third = ''): Value {
    const key = third === '' ? `${first}\n${second}` : `${first}\n${second}\n${third}`;
    const found = this.#series.get(key);
    if (found) return found.value;
    const excess = this.#series.size - this.#most;
    if (excess >= 0 && first !== OTHER) {
      if (second !== '' && second !== OTHER) return this.of(first, OTHER, third);
      if (second === '' || excess >= MOST_FIRST_LABELS) return this.of(OTHER, second, third);
    }
    return this.#add(key, [first, second, third]);
  }

  #add(key: string, values: readonly string[]): Value {
    const labels = Object.fromEntries(this.names.map((name, at) => [name, values[at] ?? '']));
    const value = this.#create();
    this.#series.set(key, { labels, value });
    return value;
  }

  *[Symbol.iterator](): Iterator<{ labels: Labels; value: Value }> {
    yield* this.#series.values();
  }
}
