import type { Queryable } from '#storage';

/**
 * Locks the rows of keys and organizations in the ledger's order, before changes that lock them in an order of their
 * own.
 */
export function lockMeters(client: Queryable, subjectIds: readonly string[]): Promise<unknown> {
  return client.query({
    text: `SELECT FROM meter WHERE kind IN ('key', 'credits') AND subject_id = ANY ($1) ORDER BY id FOR NO KEY UPDATE`,
    values: [subjectIds],
  });
}
