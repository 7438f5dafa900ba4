import type { Database, Queryable } from '#storage';

/** Runs work in a transaction: one of its own, or the one that is open already, where a caller made several changes one. */
export function inTransaction<Value>(
  place: Queryable,
  work: (client: Queryable) => Promise<Value>,
): Promise<Value> {
  return isDatabase(place) ? place.transaction(work) : work(place);
}

function isDatabase(place: Queryable): place is Database {
  return 'transaction' in place;
}
