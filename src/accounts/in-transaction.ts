import type { Database, Queryable } from '#storage';

/** Runs work in a transaction: a new one, or the open one if a caller combines several changes. */
export function inTransaction<Value>(
  place: Queryable,
  work: (client: Queryable) => Promise<Value>,
): Promise<Value> {
  return isDatabase(place) ? place.transaction(work) : work(place);
}

function isDatabase(place: Queryable): place is Database {
  return 'transaction' in place;
}
