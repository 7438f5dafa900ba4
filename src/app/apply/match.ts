import type { SettingsProblem } from '../settings/settings-problem.ts';
import type { ExistingEntry, DeclaredEntry } from './entry.ts';
import type { EntryKind } from './entry-kind.ts';
import { findByIdentity, findByName } from './named.ts';

/** Finds the records that the entries of a list refer to: by id if given, otherwise by their identity, otherwise by name. */
export class Matcher {
  readonly #layer: string;
  readonly #identity: string | undefined;
  readonly #actual: readonly ExistingEntry[];
  readonly #problems: SettingsProblem[];
  /** Where an id or a new name was first. */
  readonly #places = new Map<string, string>();

  constructor(
    { resource, identity }: Pick<EntryKind, 'resource' | 'identity'>,
    actual: readonly ExistingEntry[],
    problems: SettingsProblem[],
  ) {
    this.#layer = resource.name;
    this.#identity = identity;
    this.#actual = actual;
    this.#problems = problems;
  }

  /** The record of an entry, or that it is to be created; undefined if there is a problem. */
  match(entry: DeclaredEntry): { actual: ExistingEntry | undefined } | undefined {
    const own = this.#identify(entry);
    const found = this.#find(entry, own);
    const [actual] = found;
    const identity = actual ? actual.id : `new ${own?.toLowerCase() ?? entry.name}`;
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

  #identify({ values }: Pick<DeclaredEntry, 'values'>): string | undefined {
    return this.#identity === undefined ? undefined : (values[this.#identity] as string | undefined);
  }

  #find({ id, name = '' }: DeclaredEntry, identity: string | undefined): ExistingEntry[] {
    if (id !== undefined) return this.#actual.filter((each) => each.id === id);
    const all = this.#actual.map((actual) => ({
      actual,
      name: actual.name,
      identity: this.#identify(actual),
    }));
    return (identity === undefined ? findByName(all, name) : findByIdentity(all, identity)).map(
      ({ actual }) => actual,
    );
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
