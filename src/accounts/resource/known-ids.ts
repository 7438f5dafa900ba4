import type { Queryable } from '#storage';
import { toSnakeCaseMembers } from '#base';
import { createNotFound } from '../read-input.ts';

/** A kind of record, and where its ids are. */
interface Kind {
  name: string;
  table?: string;
}

export interface KnownIds {
  /**
   * Throws `not_found` if a record that a member such as `keyId` names never existed. A deleted record keeps its id and
   * its requests.
   */
  requireKnown(ids: object): Promise<void>;
}

export function createKnownIds({ database }: { database: Queryable }, kinds: readonly Kind[]): KnownIds {
  return {
    requireKnown: async (ids) => {
      const named = toSnakeCaseMembers(ids);
      for (const { name, table } of kinds) {
        const id = named[`${name}_id`];
        // An empty id selects the requests without one.
        if (table === undefined || typeof id !== 'string' || id === '') continue;
        const { rows } = await database.query({ text: `SELECT FROM ${table} WHERE id = $1`, values: [id] });
        if (rows.length === 0) throw createNotFound(name.replaceAll('_', ' '));
      }
    },
  };
}
