import type { Database } from '#storage';
import { readSchemaRows } from '../../support/schema-facts.ts';

/** A table, view or composite type. */
export interface Relation {
  relname: string;
  /** `r`: table, `p`: partitioned table, `v`: view, `c`: composite type. */
  relkind: string;
  relpersistence: string;
  reloptions: string | null;
  partitioned_by: string | null;
  /** Of a partition: its table, and its bounds. */
  parent: string | null;
  bound: string | null;
  /** Of a view. */
  query: string | null;
}

export interface Column {
  relname: string;
  attname: string;
  place: bigint;
  type: string;
  attnotnull: boolean;
  /** The default, or the expression of a generated column. */
  value: string | null;
  attidentity: string;
  attgenerated: string;
  attstorage: string;
}

/** A constraint, index or trigger of a table. */
export interface Part {
  relname: string;
  /** Null for constraints NOT NULL, and for triggers of foreign keys. */
  name: string | null;
  definition: string;
  /** Of constraints: `p`, `u`, `f` or `c`, as in PRIMARY KEY, UNIQUE, FOREIGN KEY and CHECK. */
  contype?: string;
}

export interface Routine {
  proname: string;
  arguments: string;
  result: string;
}

interface Sequence {
  relname: string;
  /** The identity column that has it. */
  owner: string | null;
}

/** A schema as PostgreSQL reports it, without the partitions of months. */
export interface Schema {
  relations: readonly Relation[];
  columns: readonly Column[];
  constraints: readonly Part[];
  indexes: readonly Part[];
  triggers: readonly Part[];
  functions: readonly Routine[];
  sequences: readonly Sequence[];
}

export async function readSchema(database: Database): Promise<Schema> {
  const relations = await readSchemaRows<Relation>(database, 'relation');
  const constraints = await readSchemaRows<Part>(database, 'constraint');
  const indexes = await readSchemaRows<Part>(database, 'index');
  const triggers = await readSchemaRows<Part>(database, 'trigger');
  const names = new Set(constraints.map(({ name }) => name));
  return {
    relations: relations.filter(({ bound }) => bound === null || bound === 'DEFAULT'),
    columns: (await readSchemaRows<Column>(database, 'column')).toSorted((a, b) => Number(a.place - b.place)),
    constraints: sortParts(constraints),
    indexes: sortParts(indexes).filter(({ name }) => !names.has(name)),
    triggers: sortParts(triggers),
    functions: await readSchemaRows<Routine>(database, 'function'),
    sequences: await readSchemaRows<Sequence>(database, 'sequence'),
  };
}

const ORDER = 'pufc';

function sortParts(parts: readonly Part[]): Part[] {
  const placeOf = ({ contype = '', name }: Part): string => `${ORDER.indexOf(contype)} ${name ?? ''}`;
  return parts.filter(({ name }) => name !== null).toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}
