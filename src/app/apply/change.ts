import type { FileValues } from '#accounts';
import type { EntryKind, EntrySection } from './entry-kind.ts';

/** The subject of changes; changes of one record share it, because a new record has no id yet. */
export interface Subject {
  /** The name of its resource. */
  layer: string;
  /** Absent if an earlier change creates it. */
  id?: string;
  /** Its name with those of its parents: `Acme / web / backend`. */
  title: string;
  /** Where a file has it; absent if none does. */
  place?: string;
}

/** The subjects that fields of an entry name. */
export type Refers = { readonly [field: string]: Subject };

/** One step from the current state to the declared one; values are spelled as in the file. */
export type Change = { subject: Subject } & (
  | {
      action: 'create';
      kind: EntryKind;
      name: string;
      owner: Subject | undefined;
      settings: FileValues;
      refers: Refers;
    }
  | { action: 'set'; section: EntrySection; member: string; from: unknown; to: unknown }
  | { action: 'add'; kind: EntryKind; values: FileValues }
  | { action: 'remove'; kind: EntryKind; values: FileValues; id: string }
);
