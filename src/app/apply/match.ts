import type { SettingsProblem } from '../settings/settings-problem.ts';
import type { ExistingEntry, DeclaredEntry } from './entry.ts';
import type { EntryKind } from './entry-kind.ts';
import { findByIdentity, findByName, readIdentity } from './reference-target.ts';

/** Finds the records that the entries of a list refer to: by id if given, otherwise by their identity, otherwise by name. */
export class Matcher {
  readonly #kind: Pick<EntryKind, 'resource' | 'identity'>;
  readonly #actual: readonly ExistingEntry[];
  readonly #problems: SettingsProblem[];
  /** Where an id or a new name was first. */
  readonly #places = new Map<string, string>();

  constructor(
    kind: Pick<EntryKind, 'resource' | 'identity'>,
    actual: readonly ExistingEntry[],
    problems: SettingsProblem[],
  ) {
    this.#kind = kind;
    this.#actual = actual;
    this.#problems = problems;
  }

  /** The record of an entry, or that it is to be created; undefined if there is a problem. */
  match(entry: DeclaredEntry): { actual: ExistingEntry | undefined } | undefined {
    const own = readIdentity(this.#kind, entry.values);
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

  #find({ id, name = '' }: DeclaredEntry, identity: string | undefined): ExistingEntry[] {
    if (id !== undefined) return this.#actual.filter((each) => each.id === id);
    const all = this.#actual.map((actual) => ({
      actual,
      name: actual.name,
      identity: readIdentity(this.#kind, actual.values),
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
    const layer = this.#kind.resource.name;
    if (found.length > 1) {
      const ids = found.map((each) => each.id).join(' and ');
      return `more than one ${layer} is named "${name}": ${ids}; add the id of one`;
    }
    if (id !== undefined && !actual) return `there is no ${layer} ${id}; without an id, one is created`;
    return before === undefined ? undefined : `the ${layer} "${name ?? id}" is already at ${before}`;
  }
}
