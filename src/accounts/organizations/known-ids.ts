import type { Queryable } from '#storage';
import { createNotFound } from '../read-input.ts';

/** Ids by which requests and records are selected. */
interface SelectedIds {
  organizationId?: string | undefined;
  projectId?: string | undefined;
  keyId?: string | undefined;
  memberId?: string | undefined;
  sessionTokenId?: string | undefined;
}

const KINDS = {
  organizationId: { table: 'organization', what: 'organization' },
  projectId: { table: 'project', what: 'project' },
  keyId: { table: 'api_key', what: 'key' },
  memberId: { table: 'member', what: 'member' },
  sessionTokenId: { table: 'session_token', what: 'session token' },
} as const satisfies Record<keyof SelectedIds, object>;
const NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];

export interface KnownIds {
  /** Throws `not_found` if one never existed. What is deleted keeps its id, and its requests. */
  requireKnown(ids: SelectedIds): Promise<void>;
}

export function createKnownIds({ database }: { database: Queryable }): KnownIds {
  return {
    requireKnown: async (ids) => {
      for (const name of NAMES) {
        const id = ids[name];
        // An empty id selects the requests without one.
        if (typeof id !== 'string' || id === '') continue;
        const { table, what } = KINDS[name];
        const { rows } = await database.query({ text: `SELECT FROM ${table} WHERE id = $1`, values: [id] });
        if (rows.length === 0) throw createNotFound(what);
      }
    },
  };
}
