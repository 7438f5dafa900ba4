import type { FileValues } from '#accounts';

/** A declared entry: given fields are set, absent ones do not change. */
export interface DeclaredEntry {
  id: string | undefined;
  name: string | undefined;
  values: FileValues;
  /** The entries that it contains, by the names of the lists; absent lists do not change. */
  lists: { [list: string]: readonly DeclaredEntry[] };
  /** Where the file has it, or its field. */
  locate(field?: string): string;
}

/** An existing entry, spelled as in a file. */
export interface ExistingEntry {
  id: string;
  name: string;
  values: FileValues;
  lists: { [list: string]: readonly ExistingEntry[] };
}

/** Fields without those that do not apply. */
export function dropUnused(
  values: FileValues,
  { listUnused }: { listUnused?(values: FileValues): readonly string[] },
): FileValues {
  const unused = listUnused?.(values) ?? [];
  return Object.fromEntries(Object.entries(values).filter(([field]) => !unused.includes(field)));
}
