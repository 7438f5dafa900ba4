import type { Layer } from '#accounts';
import type { SettingsProblem } from '../settings/settings-problem.ts';

/** A thing of a file as it is looked for. */
interface Wanted {
  layer: Layer;
  id: string | undefined;
  name: string | undefined;
  place: string;
}

/** Finds what the entries of one list mean among what there is: by id where one is given, else by name. */
export class Matcher<Actual extends { id: string }> {
  readonly #actual: readonly Actual[];
  readonly #getName: (actual: Actual) => string;
  readonly #problems: SettingsProblem[];
  /** Where ids and new names were met first. */
  readonly #places = new Map<string, string>();

  constructor(actual: readonly Actual[], getName: (actual: Actual) => string, problems: SettingsProblem[]) {
    this.#actual = actual;
    this.#getName = getName;
    this.#problems = problems;
  }

  /** What is meant, or that it is to be made; nothing where that is a problem. */
  match(wanted: Wanted): { actual: Actual | undefined } | undefined {
    const { id, name, place } = wanted;
    const found = this.#actual.filter((each) =>
      id === undefined ? this.#getName(each) === name : each.id === id,
    );
    const [actual] = found;
    const identity = actual ? actual.id : `new ${name}`;
    const message = this.#findFault(wanted, found, this.#places.get(identity));
    if (message !== undefined) {
      this.#problems.push({ place, message });
      return undefined;
    }
    this.#places.set(identity, place);
    return { actual };
  }

  /** What no entry meant. */
  listRest(): Actual[] {
    return this.#actual.filter(({ id }) => !this.#places.has(id));
  }

  #findFault(
    { layer, id, name }: Wanted,
    found: readonly Actual[],
    before: string | undefined,
  ): string | undefined {
    const [actual] = found;
    if (found.length > 1) {
      const ids = found.map((each) => each.id).join(' and ');
      return `more than one ${layer} is called "${name}": ${ids}; say which by its id`;
    }
    if (id !== undefined && !actual)
      return `there is no such ${layer} here: ${id}; without an id, one is made under a name of its own`;
    if (actual && name !== undefined && this.#getName(actual) !== name)
      return `${id} is called "${this.#getName(actual)}", and nothing is renamed`;
    return before === undefined ? undefined : `the ${layer} "${name ?? id}" is already at ${before}`;
  }
}
