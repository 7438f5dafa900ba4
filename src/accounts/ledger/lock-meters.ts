import type { Queryable } from '#storage';

/** Locks the guards of keys and organizations in the order of the ledger, before changes take them in one of their own. */
export async function lockMeters(client: Queryable, subjectIds: readonly string[]): Promise<void> {
  await client.query({
    text: `SELECT FROM meter WHERE kind IN ('key', 'credits') AND subject_id = ANY ($1) ORDER BY id FOR NO KEY UPDATE`,
    values: [subjectIds],
  });
}
