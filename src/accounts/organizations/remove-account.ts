import type { Queryable } from '#storage';
import type { StorePorts } from '../store-ports.ts';
import { getRow } from '../get-row.ts';
import { inTransaction } from '../in-transaction.ts';
import { endSharedLimits } from './shared-limit.ts';

/** What ended with a project. */
export interface RemovedProject {
  disabledKeyIds: string[];
}

/** What ended with an organization. */
export interface RemovedOrganization extends RemovedProject {
  removedProjectIds: string[];
  removedMemberIds: string[];
  disabledAdminKeyIds: string[];
}

type RemovePorts = Pick<StorePorts, 'database' | 'onChange' | 'windowClock'>;

/**
 * Removes a project with its keys and their rules. Keys are deleted one by one, so that a gateway of the version before,
 * which knows no removed projects, refuses them, too.
 */
export async function removeProject(
  { database, onChange, windowClock }: RemovePorts,
  projectId: string,
): Promise<RemovedProject> {
  const removed = await inTransaction(database, async (client) => {
    await markRemoved(client, 'project', projectId);
    const disabledKeyIds = await deleteKeys(client, [projectId]);
    await client.query({
      text: `
        DELETE FROM access_rule WHERE subject_id = $1 OR subject_id IN (SELECT id FROM api_key WHERE project_id = $1)`,
      values: [projectId],
    });
    await endSharedLimits({ database: client, windowClock }, projectId); // last, as it locks a meter
    return { disabledKeyIds };
  });
  onChange(`project:${projectId}`);
  return removed;
}

/** Removes an organization with all that belongs to it and gives access. Its usage and money stay. */
export async function removeOrganization(
  { database, onChange }: RemovePorts,
  organizationId: string,
): Promise<RemovedOrganization> {
  const removed = await inTransaction(database, async (client) => {
    await markRemoved(client, 'organization', organizationId);
    const change = (text: string): Promise<string[]> => listChanged(client, text, [organizationId]);
    await client.query({ text: LOCK_PROJECTS, values: [organizationId] });
    const removedProjectIds = await change(REMOVE_PROJECTS);
    const disabledKeyIds = await deleteKeys(client, removedProjectIds);
    const removedMemberIds = await change(REMOVE_MEMBERS);
    const disabledAdminKeyIds = await change(DISABLE_ADMIN_KEYS);
    for (const text of END_REST) await client.query({ text, values: [organizationId] });
    return { disabledKeyIds, removedProjectIds, removedMemberIds, disabledAdminKeyIds };
  });
  onChange(`organization:${organizationId}`);
  for (const id of removed.disabledAdminKeyIds) onChange(`admin_key:${id}`);
  return removed;
}

/** In one order, so that two removals never wait for each other. */
const LOCK_PROJECTS = `
  SELECT FROM project WHERE organization_id = $1 AND removed_at IS NULL ORDER BY id FOR UPDATE`;
const REMOVE_PROJECTS = `
  UPDATE project SET removed_at = now() WHERE organization_id = $1 AND removed_at IS NULL RETURNING id`;
const REMOVE_MEMBERS = `
  UPDATE member SET removed_at = now() WHERE organization_id = $1 AND removed_at IS NULL RETURNING id`;
const DISABLE_ADMIN_KEYS = `
  UPDATE admin_key SET disabled_at = now() WHERE organization_id = $1 AND disabled_at IS NULL RETURNING id`;
/** Credentials of providers are deleted: nothing may send them any more. */
const END_REST = [
  'UPDATE dashboard_session SET ended_at = now() WHERE organization_id = $1 AND ended_at IS NULL',
  'DELETE FROM access_rule WHERE organization_id = $1',
  'DELETE FROM provider_key WHERE organization_id = $1',
  'DELETE FROM custom_provider WHERE organization_id = $1',
];

/** `FOR UPDATE` waits for transactions that create something in it (`FOR KEY SHARE`), and makes later ones look again. */
async function markRemoved(client: Queryable, table: 'organization' | 'project', id: string): Promise<void> {
  await getRow(client, table, {
    text: `SELECT FROM ${table} WHERE id = $1 AND removed_at IS NULL FOR UPDATE`,
    values: [id],
  });
  await client.query({ text: `UPDATE ${table} SET removed_at = now() WHERE id = $1`, values: [id] });
}

const DELETE_KEYS = `
  UPDATE api_key SET deleted_at = now() WHERE project_id = ANY ($1::text[]) AND deleted_at IS NULL RETURNING id`;

/** After their projects are marked: the trigger of the table then sends one message for all keys of a project. */
function deleteKeys(client: Queryable, projectIds: readonly string[]): Promise<string[]> {
  return listChanged(client, DELETE_KEYS, [projectIds]);
}

async function listChanged(client: Queryable, text: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({ text, values: [...values] });
  return rows.map(({ id }) => id);
}
