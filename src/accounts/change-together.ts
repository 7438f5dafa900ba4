import type { Database, Queryable } from '#storage';
import type { Directory } from './organizations/directory.ts';

export interface ChangePorts {
  database: Database;
  /** The books on a database or on one transaction; `onChange` hears what snapshots must forget. */
  openDirectory(database: Queryable, onChange: (change: string) => void): Directory;
  onChange(change: string): void;
}

/** Runs changes all or nothing, in one transaction; `work` may be run again where the database asks for another try. */
export async function changeTogether<Value>(
  { database, openDirectory, onChange }: ChangePorts,
  work: (directory: Directory, client: Queryable) => Promise<Value>,
): Promise<Value> {
  let changes: string[] = [];
  const value = await database.transaction((client) => {
    changes = [];
    return work(
      openDirectory(client, (change) => void changes.push(change)),
      client,
    );
  });
  // Not before: a snapshot that reads again while the change is not visible would keep what it was.
  for (const change of changes) onChange(change);
  return value;
}
