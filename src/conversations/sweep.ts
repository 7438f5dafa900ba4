import type { Statement } from '#storage';

export const BATCH = 500;

/** Deletes a batch of responses older than `oldest`. */
export function deleteOlder(oldest: Date): Statement {
  return {
    text: `DELETE FROM stored_response WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM stored_response WHERE created_at <= $1 LIMIT ${BATCH}))`,
    values: [oldest],
  };
}
