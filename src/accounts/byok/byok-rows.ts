import type { StorePorts } from '../store-ports.ts';
import { type Page, composeList } from '../page.ts';
import { createNotFound } from '../read-input.ts';
import { getRow } from '../get-row.ts';

export type ByokPorts = Pick<StorePorts, 'database' | 'sealer' | 'onChange'>;

/** One row of one organization. */
export interface OwnedId {
  organizationId: string;
  id: string;
}

/** Those of one organization, or all. */
export type ByokFilter = { organizationId?: string } & Page;

interface ByokTable<Row, Item> {
  table: 'custom_model' | 'custom_provider' | 'provider_key';
  /** The selected columns of the row `r`. */
  columns: string;
  toRecord(row: Row): Item;
}

/** What the tables of organizations' own keys, providers and models have in common. */
interface ByokRows<Row, Item> {
  list(filter: ByokFilter): Promise<Item[]>;
  /** Throws `not_found`. */
  get(id: string): Promise<Item>;
  /** Throws `not_found`. */
  remove(owned: OwnedId): Promise<Item>;
  /** The record of a changed row, after all processes were notified. */
  announce(row: Row): Item;
}

export function createByokRows<Row extends { organization_id: string }, Item>(
  { database, onChange }: ByokPorts,
  { table, columns, toRecord }: ByokTable<Row, Item>,
): ByokRows<Row, Item> {
  const what = table.replace('_', ' ');
  const announce = (row: Row): Item => {
    onChange(`organization:${row.organization_id}`);
    return toRecord(row);
  };
  const read = async (filters: Readonly<Record<string, unknown>>, page: Page): Promise<Item[]> => {
    const select = `SELECT ${columns} FROM ${table} r WHERE true`;
    const { rows } = await database.query<Row>(
      composeList({ select, filters, table: `${table} r`, alias: 'r' }, page),
    );
    return rows.map(toRecord);
  };
  return {
    announce,
    list: ({ organizationId, ...page }) => read({ 'r.organization_id =': organizationId }, page),
    get: async (id) => {
      const [found] = await read({ 'r.id =': id }, {});
      if (found === undefined) throw createNotFound(what);
      return found;
    },
    remove: async ({ organizationId, id }) => {
      const row = await getRow<Row>(database, what, {
        text: `DELETE FROM ${table} r WHERE r.organization_id = $1 AND r.id = $2 RETURNING ${columns}`,
        values: [organizationId, id],
      });
      return announce(row);
    },
  };
}
