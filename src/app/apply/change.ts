import type { FileValues } from '#accounts';
import type { Kind, Section } from './kind.ts';

/** What a change is about; changes of one thing share it, because a thing yet to be created has no id. */
export interface Subject {
  /** The name of its resource. */
  layer: string;
  /** Absent if an earlier change creates it. */
  id?: string;
  /** Its name with those of what it is in: `Acme / web / backend`. */
  title: string;
  /** Where a file has it; absent if none does. */
  place?: string;
}

/** One step from what there is to what a file declares; values are in the words of the file. */
export type Change = { subject: Subject } & (
  | { action: 'create'; kind: Kind; name: string; owner: Subject | undefined; settings: FileValues }
  | { action: 'set'; section: Section; member: string; from: unknown; to: unknown }
  | { action: 'add'; kind: Kind; values: FileValues }
  | { action: 'remove'; kind: Kind; values: FileValues; id: string }
);
