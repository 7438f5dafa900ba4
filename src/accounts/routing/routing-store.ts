import type { StorePorts } from '../store-ports.ts';
import { findFault } from '#base';
import { createInvalid, createNotFound } from '../read-input.ts';
import type { RoutingChange } from './routing-choice.ts';
import { describeMember, routing } from './routing-field.ts';

/** How the requests of projects and keys choose among providers, as the operator changes it. */
export interface RoutingStore {
  setProjectRouting(projectId: string, change: RoutingChange): Promise<void>;
  setKeyRouting(keyId: string, change: RoutingChange): Promise<void>;
}

const CHANGE = `
  SET routing = NULLIF(jsonb_strip_nulls(COALESCE(routing, '{}') || $2::jsonb), '{}') WHERE id = $1`;
const CHANGES = {
  api_key: `UPDATE api_key ${CHANGE} AND deleted_at IS NULL RETURNING id`,
  project: `UPDATE project ${CHANGE} RETURNING id`,
};

export function createRoutingStore({
  database,
  onChange,
}: Pick<StorePorts, 'database' | 'onChange'>): RoutingStore {
  const set = async (table: keyof typeof CHANGES, id: string, change: RoutingChange): Promise<void> => {
    check(change);
    const { rows } = await database.query({ text: CHANGES[table], values: [id, JSON.stringify(change)] });
    if (rows.length === 0) throw createNotFound(table === 'api_key' ? 'key' : table);
    onChange(`${table}:${id}`);
  };
  return {
    setProjectRouting: (projectId, change) => set('project', projectId, change),
    setKeyRouting: (keyId, change) => set('api_key', keyId, change),
  };
}

/** Also for the command line, whose values no schema has checked. */
function check(change: RoutingChange): void {
  const fault = findFault(routing.input, change);
  if (!fault) return;
  const [member = ''] = fault.path;
  throw createInvalid(['routing', ...fault.path].join('.'), describeMember(member));
}
