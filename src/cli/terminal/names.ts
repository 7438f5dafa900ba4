import type { ResourcePorts } from '#app';
import type { RecordNames } from '#fields';

const REMOVED = 'removed';
const SHORT = 16;
/** The end of an id distinguishes it from others. */
const ID_END = 4;

/** Reads the names of these ids, also of removed records. */
export async function readNames(
  directory: Pick<ResourcePorts['directory'], 'listNames'>,
  ids: Iterable<string | undefined>,
): Promise<RecordNames> {
  const wanted = [...new Set(ids)].filter((id) => id !== undefined && id !== '') as string[];
  const found = wanted.length === 0 ? [] : await directory.listNames({ ids: wanted });
  const names = new Map(found.map(({ id, name }) => [id, name]));
  const removed = new Set(found.filter((each) => each.removed).map(({ id }) => id));
  const counts = new Map<string, number>();
  for (const [id, name] of names) {
    const named = nameInKind(id, name);
    counts.set(named, (counts.get(named) ?? 0) + 1);
  }
  const isShared = (id: string, name: string): boolean => (counts.get(nameInKind(id, name)) ?? 0) > 1;
  return {
    show: (id) => {
      const name = names.get(id);
      if (name === undefined) return id;
      const notes = [...(isShared(id, name) ? [id] : []), ...(removed.has(id) ? [REMOVED] : [])];
      return notes.length === 0 ? name : `${name} (${notes.join(', ')})`;
    },
    showShort: (id) => {
      const name = names.get(id) ?? id;
      const end = removed.has(id) ? ` (${REMOVED})` : '';
      if (!isShared(id, name)) return `${shorten(name, SHORT)}${end}`;
      return `${shorten(name, SHORT - ID_END - 2)} …${id.slice(-ID_END)}${end}`;
    },
  };
}

/** A name among those of its kind, with which ids begin: the first organization and its project are both named Default. */
const nameInKind = (id: string, name: string): string => `${id.slice(0, id.indexOf('_'))} ${name}`;

const shorten = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
