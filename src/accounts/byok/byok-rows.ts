import type { StorePorts } from '../store-ports.ts';
import type { RecordType, Statement } from '#storage';
import type { Page } from '../page.ts';
import { createRecords } from '../records.ts';

export type ByokPorts = Pick<StorePorts, 'database' | 'sealer' | 'onChange'>;

/** One row of one organization. */
export interface OwnedId {
  organizationId: string;
  id: string;
}

/** Those of one organization, or all. */
export type ByokFilter = { organizationId?: string } & Page;

interface ByokTable<Row extends object, Item> {
  table: 'custom_model' | 'custom_provider' | 'provider_key';
  /** Of the row `r`. */
  type: RecordType<Row>;
  toItem(row: Row): Item;
}

/** Reads and changes the tables of organizations' own keys, providers and models. */
interface ByokRows<Item> {
  list(filter: ByokFilter): Promise<Item[]>;
  /** Throws `not_found`. */
  get(id: string): Promise<Item>;
  /** Throws `not_found`. */
  remove(owned: OwnedId): Promise<Item>;
  /** The item that a statement returns, after all processes were notified; without it, throws what `refuse` creates. */
  change(statement: Statement, refuse?: () => Error): Promise<Item>;
}

export function createByokRows<Row extends { organizationId: string }, Item>(
  { database, onChange }: ByokPorts,
  { table, type, toItem }: ByokTable<Row, Item>,
): ByokRows<Item> {
  const rows = createRecords(database, {
    what: table.replace('_', ' '),
    type,
    table: `${table} r`,
    alias: 'r',
  });
  const change: ByokRows<Item>['change'] = async (statement, refuse) => {
    const row = await rows.change(statement, refuse);
    onChange(`organization:${row.organizationId}`);
    return toItem(row);
  };
  return {
    change,
    list: async ({ organizationId, ...page }) =>
      (await rows.list({ 'r.organization_id =': organizationId }, page)).map(toItem),
    get: async (id) => toItem(await rows.get(id)),
    remove: ({ organizationId, id }) =>
      change({
        text: `DELETE FROM ${table} r WHERE r.organization_id = $1 AND r.id = $2 RETURNING ${type.columns}`,
        values: [organizationId, id],
      }),
  };
}
