import type { Queryable } from '#storage';

const LOCK_ORGANIZATION = `
  SELECT FROM organization WHERE id = COALESCE(
    (SELECT organization_id FROM project WHERE id = $1),
    (SELECT organization_id FROM member WHERE id = $1),
    (SELECT p.organization_id FROM api_key k JOIN project p ON p.id = k.project_id WHERE k.id = $1),
    $1)
  FOR KEY SHARE`;
const LOCK_PROJECT = `
  SELECT FROM project WHERE id = COALESCE((SELECT project_id FROM api_key WHERE id = $1), $1) FOR KEY SHARE`;

/**
 * Waits until a removal that includes an organization, project, key or member has ended, and keeps others from beginning
 * before the transaction ends; the next statement sees the removal. A change that locks a meter waits here first:
 * requests of all organizations are admitted together, and would wait for that meter as long.
 */
export async function awaitRemoval(client: Queryable, id: string): Promise<void> {
  for (const text of [LOCK_ORGANIZATION, LOCK_PROJECT]) await client.query({ text, values: [id] });
}
