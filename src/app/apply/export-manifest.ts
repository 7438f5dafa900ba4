import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { ExistingEntry } from './entry.ts';
import { type EntryKind, ORGANIZATIONS } from './entry-kind.ts';

/** Accounts as a file; ids are included only where two entries of a list share a name. */
export function exportManifest(organizations: readonly ExistingEntry[]): object {
  return { [ORGANIZATIONS.list]: toEntries(ORGANIZATIONS, organizations) };
}

/** A manifest as the text of a file. */
export function formatManifest(manifest: object): string {
  return stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });
}

function toEntries(kind: EntryKind, actual: readonly ExistingEntry[]): object[] {
  return actual.map(({ id, name, values, lists }) => {
    const isShared = actual.some((other) => other.id !== id && other.name === name);
    return {
      ...(kind.name !== undefined && { ...(isShared && { id }), [kind.name]: name }),
      ...(kind.name === undefined ? dropInitial(kind, values) : values),
      ...Object.fromEntries(
        kind.contents.map((content) => [content.list, toEntries(content, lists[content.list] ?? [])]),
      ),
    };
  });
}

function dropInitial({ sections }: EntryKind, values: object): object {
  const initial = new Map(
    sections.flatMap(({ fields }) => fields.map(({ name, spelling }) => [name, spelling.write(undefined)])),
  );
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(value, initial.get(name))),
  );
}
