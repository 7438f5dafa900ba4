import type { AppliedMigration } from '#storage';
import type { Partition, Sequence, Table } from './table.ts';

/** The first line of a backup: its origin, and the requirements on a database to restore it. */
export interface Manifest {
  /** The version of the file's format; a later one is refused. */
  format: number;
  /** The version of Sluice that wrote it. */
  program: string;
  createdAt: string;
  /** The installation's secret, which is not part of the backup, without revealing it. */
  secretFingerprint: string | undefined;
  migrations: AppliedMigration[];
  partitions: Partition[];
  sequences: Sequence[];
  tables: Table[];
}

/** What a table of a backup has; written after its rows. */
export interface TableSum {
  rows: number;
  bytes: number;
  sha256: string;
}

/** The last line of a backup: without it the file is incomplete. */
export interface Trailer {
  tables: Record<string, TableSum>;
}

export const FORMAT = 1;
