import type { Database, Queryable } from '#storage';
import type { StorePorts } from './store-ports.ts';

/** Runs work in a transaction: a new one, or the open one if a caller combines several changes. */
export function inTransaction<Value>(
  place: Queryable,
  work: (client: Queryable) => Promise<Value>,
): Promise<Value> {
  return isDatabase(place) ? place.transaction(work) : work(place);
}

/** The same for a change, which is reported after the commit. */
export async function changeInTransaction<Ports extends Pick<StorePorts, 'database' | 'onChange'>>(
  ports: Ports,
  work: (ports: Ports) => Promise<unknown>,
): Promise<void> {
  const changed = new Set<string>();
  const onChange = (change: string): void => void changed.add(change);
  await inTransaction(ports.database, (database) => work({ ...ports, database, onChange }));
  for (const change of changed) ports.onChange(change);
}

function isDatabase(place: Queryable): place is Database {
  return 'transaction' in place;
}
