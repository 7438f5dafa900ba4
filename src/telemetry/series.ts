/** The labels of a series, by name. */
export type Labels = Readonly<Record<string, string>>;

/** Beyond this many, series of one metric are counted together: labels come from models and providers. */
const MOST_SERIES = 200;
const OTHER = 'other';

/** The series of one metric by the values of its labels: one map lookup per event. */
export class SeriesMap<Value> {
  /** The names of the labels. */
  readonly names: readonly string[];
  readonly #create: () => Value;
  readonly #series = new Map<string, { labels: Labels; value: Value }>();

  constructor(names: readonly string[], create: () => Value) {
    this.names = names;
    this.#create = create;
  }

  /** The value of a series, which is created if it is new. */
  of(first: string, second = ''): Value {
    const key = second === '' ? first : `${first}\n${second}`;
    const found = this.#series.get(key);
    if (found) return found.value;
    if (this.#series.size >= MOST_SERIES && first !== OTHER) return this.of(OTHER, second && OTHER);
    const values = [first, second];
    const labels = Object.fromEntries(this.names.map((name, at) => [name, values[at] ?? '']));
    const value = this.#create();
    this.#series.set(key, { labels, value });
    return value;
  }

  *[Symbol.iterator](): Iterator<{ labels: Labels; value: Value }> {
    yield* this.#series.values();
  }
}
