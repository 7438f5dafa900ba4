import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { FileValues } from '#accounts';
import type { ExistingEntry } from './entry.ts';
import { type EntryKind, ORGANIZATIONS } from './entry-kind.ts';
import {
  type ReferenceTarget,
  findByIdentity,
  findByName,
  readIdentity,
  writeReference,
} from './reference-target.ts';

/** Accounts as a file; ids are included only where two entries of a list share a name. */
export function exportManifest(organizations: readonly ExistingEntry[]): object {
  return { [ORGANIZATIONS.list]: toEntries(ORGANIZATIONS, organizations, new Map()) };
}

/** A manifest as the text of a file. */
export function formatManifest(manifest: object): string {
  return stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The entries around an entry that it can refer to, by kind. */
type Around = ReadonlyMap<string, readonly ReferenceTarget[]>;

function toEntries(kind: EntryKind, actual: readonly ExistingEntry[], around: Around): object[] {
  const targets = actual.map((each) => toTarget(kind, each));
  return actual.flatMap(({ id, name, values, lists }, index) => {
    const written = writeReferences(kind, values, around);
    if (!written) return [];
    const isShared = isAmbiguous(targets, targets[index]);
    const inside = new Map(around);
    for (const content of kind.contents)
      inside.set(
        content.resource.name,
        (lists[content.list] ?? []).map((each) => toTarget(content, each)),
      );
    return {
      ...(kind.name !== undefined && { ...(isShared && { id }), [kind.name]: name }),
      ...(kind.name === undefined ? dropInitial(kind, written) : written),
      ...Object.fromEntries(
        kind.contents.map((content) => [content.list, toEntries(content, lists[content.list] ?? [], inside)]),
      ),
    };
  });
}

const toTarget = (kind: EntryKind, { id, name, values }: ExistingEntry): ReferenceTarget => ({
  id,
  name,
  identity: readIdentity(kind, values),
});

/** Whether an entry without an id would be found as another. */
function isAmbiguous(all: readonly ReferenceTarget[], one: ReferenceTarget | undefined): boolean {
  if (!one) return false;
  const found = one.identity === undefined ? findByName(all, one.name) : findByIdentity(all, one.identity);
  return found.length > 1;
}

/** With names in place of ids; undefined if it refers to a removed record, as the key of a removed member does. */
function writeReferences(
  { sections }: EntryKind,
  values: FileValues,
  around: Around,
): FileValues | undefined {
  const written: FileValues = { ...values };
  for (const { name, refersTo } of sections.flatMap(({ fields }) => fields)) {
    const id = values[name];
    if (refersTo === undefined || id === undefined) continue;
    const all = around.get(refersTo) ?? [];
    const one = all.find((each) => each.id === id);
    if (!one) return undefined;
    written[name] = writeReference(all, one);
  }
  return written;
}

function dropInitial({ sections }: EntryKind, values: object): object {
  const initial = new Map(
    sections.flatMap(({ fields }) => fields.map(({ name, spelling }) => [name, spelling.write(undefined)])),
  );
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(value, initial.get(name))),
  );
}
