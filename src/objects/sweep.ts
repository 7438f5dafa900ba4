import type { Statement } from '#storage';

export const BATCH = 1_000;

/** Deletes a batch of objects that no longer exist at their providers. */
export function deleteExpired(now: Date): Statement {
  return {
    text: `DELETE FROM account_object WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM account_object WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${BATCH}))`,
    values: [now],
  };
}
