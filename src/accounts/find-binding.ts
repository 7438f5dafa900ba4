import type { Queryable } from '#storage';
import type { Caller } from './caller.ts';
import { recallBinding } from './routing/recall-binding.ts';

/** What binds the requests of a key, or of a project's keys: their rules and how they choose among providers. */
export interface RequestBinding extends Pick<Caller, 'organizationId' | 'projectId' | 'rules' | 'routing'> {
  /** Absent for a project. */
  keyId?: string;
}

interface BindingRow {
  organization_id: string;
  project_id: string;
  key_id: string | null;
  project_routing: string | null;
  key_routing: string | null;
  rules: string | null;
}

const FIND = `
  SELECT p.organization_id, p.id AS project_id, k.id AS key_id,
    p.routing::text AS project_routing, k.routing::text AS key_routing,
    (SELECT jsonb_agg(jsonb_build_object('layer', r.layer, 'type', r.type, 'values', r.items) ORDER BY r.id)::text
      FROM access_rule r
      WHERE r.subject_id = ANY (ARRAY[k.id, p.id, p.organization_id]) AND r.organization_id = p.organization_id) AS rules
  FROM project p LEFT JOIN api_key k ON k.project_id = p.id AND k.id = $1 AND k.deleted_at IS NULL
  WHERE p.removed_at IS NULL AND (p.id = $1 OR k.id IS NOT NULL)`;

/** Finds it by the id of a key or a project; undefined if there is none. For the operator's commands alone. */
export async function findBinding(database: Queryable, id: string): Promise<RequestBinding | undefined> {
  const { rows } = await database.query<BindingRow>({ text: FIND, values: [id] });
  const [row] = rows;
  if (!row) return undefined;
  const { rules, project_routing: projectRouting, key_routing: keyRouting } = row;
  return {
    organizationId: row.organization_id,
    projectId: row.project_id,
    ...(row.key_id !== null && { keyId: row.key_id }),
    ...recallBinding({ rules, projectRouting, keyRouting }),
  };
}
