import type { Statement } from '#storage';

export const BATCH = 500;

/** Deletes a batch of responses older than `oldest`. */
export function deleteOlder(oldest: Date): Statement {
  return {
    text: `DELETE FROM stored_response WHERE (project_id, id) IN
      (SELECT project_id, id FROM stored_response WHERE created_at <= $1 LIMIT ${BATCH})`,
    values: [oldest],
  };
}
