import type { Queryable } from '#storage';

/** A record by its id, with what people call it. */
export interface RecordName {
  id: string;
  name: string;
  removed: boolean;
}

interface NamesFilter {
  ids: readonly string[];
  organizationId?: string;
  /** Only the member, and its keys. */
  memberId?: string;
}

export interface NameStore {
  /** The names of keys, projects, members and organizations, also of removed ones; those that do not exist are left out. */
  listNames(filter: NamesFilter): Promise<RecordName[]>;
}

const LIST_NAMES = `
  SELECT k.id, k.label AS name, k.deleted_at IS NOT NULL AS removed FROM api_key k JOIN project p ON p.id = k.project_id
  WHERE k.id = ANY ($1::text[]) AND ($2::text IS NULL OR p.organization_id = $2) AND ($3::text IS NULL OR k.member_id = $3)
  UNION ALL
  SELECT id, name, removed_at IS NOT NULL FROM member
  WHERE id = ANY ($1::text[]) AND ($2::text IS NULL OR organization_id = $2) AND ($3::text IS NULL OR id = $3)
  UNION ALL
  SELECT id, name, removed_at IS NOT NULL FROM project
  WHERE id = ANY ($1::text[]) AND ($2::text IS NULL OR organization_id = $2) AND $3::text IS NULL
  UNION ALL
  SELECT id, name, removed_at IS NOT NULL FROM organization
  WHERE id = ANY ($1::text[]) AND ($2::text IS NULL OR id = $2) AND $3::text IS NULL`;

export function createNameStore({ database }: { database: Queryable }): NameStore {
  return {
    listNames: async ({ ids, organizationId = null, memberId = null }) => {
      const values = [ids, organizationId, memberId];
      return (await database.query<RecordName>({ text: LIST_NAMES, values })).rows;
    },
  };
}
