import type { SettingsProblem } from '../settings/settings-problem.ts';
import type { ExistingEntry, DeclaredEntry } from './entry.ts';

/** Finds the records that the entries of a list refer to, by id if given, otherwise by name. */
export class Matcher {
  readonly #layer: string;
  readonly #actual: readonly ExistingEntry[];
  readonly #problems: SettingsProblem[];
  /** Where an id or a new name was first. */
  readonly #places = new Map<string, string>();

  constructor(layer: string, actual: readonly ExistingEntry[], problems: SettingsProblem[]) {
    this.#layer = layer;
    this.#actual = actual;
    this.#problems = problems;
  }

  /** The record of an entry, or that it is to be created; undefined if there is a problem. */
  match(entry: DeclaredEntry): { actual: ExistingEntry | undefined } | undefined {
    const found = this.#actual.filter(({ id, name }) =>
      entry.id === undefined ? name === entry.name : id === entry.id,
    );
    const [actual] = found;
    const identity = actual ? actual.id : `new ${entry.name}`;
    const message = this.#findFault(entry, found, this.#places.get(identity));
    if (message !== undefined) {
      this.#problems.push({ place: entry.locate(), message });
      return undefined;
    }
    this.#places.set(identity, entry.locate());
    return { actual };
  }

  /** Records without an entry. */
  listRest(): ExistingEntry[] {
    return this.#actual.filter(({ id }) => !this.#places.has(id));
  }

  #findFault(
    { id, name }: DeclaredEntry,
    found: readonly ExistingEntry[],
    before: string | undefined,
  ): string | undefined {
    const [actual] = found;
    if (found.length > 1) {
      const ids = found.map((each) => each.id).join(' and ');
      return `more than one ${this.#layer} is named "${name}": ${ids}; add the id of one`;
    }
    if (id !== undefined && !actual) return `there is no ${this.#layer} ${id}; without an id, one is created`;
    return before === undefined ? undefined : `the ${this.#layer} "${name ?? id}" is already at ${before}`;
  }
}
