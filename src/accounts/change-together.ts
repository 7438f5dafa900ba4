import type { Database, Queryable } from '#storage';
import type { Directory } from './resources.ts';

export interface ChangePorts {
  database: Database;
  /** The directory on a database or one transaction; `onChange` receives what snapshots must invalidate. */
  openDirectory(database: Queryable, onChange: (change: string) => void): Directory;
  onChange(change: string): void;
}

/** Runs changes all or nothing, in one transaction; `work` may run again if the database requires a retry. */
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
  // Only after the commit: a snapshot that reloads before the change is visible would keep the old state.
  for (const change of changes) onChange(change);
  return value;
}
