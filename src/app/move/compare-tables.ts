import type { Queryable } from '#storage';
import type { Table } from '../backup/table.ts';

/** The number of rows of a table, and a hash that does not depend on their order. */
interface Content {
  rows: number;
  hash: string;
}

/** `from` is the table, or a part of it. */
async function readContent(
  session: Queryable,
  { columns }: Pick<Table, 'columns'>,
  from: string,
): Promise<Content> {
  const { rows } = await session.query<{ rows: bigint; hash: string }>({
    text: `SELECT count(*) AS rows, COALESCE(sum(hashtextextended(r::text, 0)::numeric), 0)::text AS hash
      FROM (SELECT ${columns.join(', ')} FROM ${from}) AS r`,
  });
  return { rows: Number(rows[0]?.rows ?? 0), hash: rows[0]?.hash ?? '' };
}

export interface TableComparison {
  /** Rows of the source, by table. */
  rows: Record<string, number>;
  /** Tables whose rows are not the same. */
  different: Table[];
}

/** Compares every value of every row. */
export async function compareTables(
  tables: readonly Table[],
  { source, target }: Sides,
): Promise<TableComparison> {
  const comparison: TableComparison = { rows: {}, different: [] };
  for (const table of tables) {
    const [one, other] = await Promise.all(
      [source, target].map((session) => readContent(session, table, table.name)),
    );
    comparison.rows[table.name] = one?.rows ?? 0;
    if (!isSame(one, other)) comparison.different.push(table);
  }
  return comparison;
}

const isSame = (one?: Content, other?: Content): boolean =>
  one?.rows === other?.rows && one?.hash === other?.hash;

/** Compares the first blocks of a table or partition in the source with all of it in the target. */
export async function hasSameStart(
  { name, columns }: Table,
  { source, target, blocks }: Sides & { blocks: number },
): Promise<boolean> {
  const [one, other] = await Promise.all([
    readContent(source, { columns }, `ONLY ${name} WHERE ctid < '(${blocks},0)'`),
    readContent(target, { columns }, `ONLY ${name}`),
  ]);
  return isSame(one, other);
}

interface Sides {
  source: Queryable;
  target: Queryable;
}

/** The sums of the ledger; amounts in pico-USD, as decimal text. */
export interface LedgerSums {
  requests: number;
  charged: string;
  granted: string;
  held: string;
}

export async function readLedgerSums(session: Queryable): Promise<LedgerSums> {
  const { rows } = await session.query<{ requests: bigint; charged: string; granted: string; held: string }>({
    text: `SELECT (SELECT count(*) FROM request_log) AS requests,
      (SELECT COALESCE(sum(customer), 0)::text FROM ledger_entry WHERE kind <> 'grant') AS charged,
      (SELECT COALESCE(sum(customer), 0)::text FROM ledger_entry WHERE kind = 'grant') AS granted,
      (SELECT COALESCE(sum(held), 0)::text FROM meter) AS held`,
  });
  const { requests = 0n, charged = '0', granted = '0', held = '0' } = rows[0] ?? {};
  return { requests: Number(requests), charged, granted, held };
}
