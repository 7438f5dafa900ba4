import type { CopySession } from '#storage';
import { type Table, copyInto } from '../backup/table.ts';
import { hasSameStart } from './compare-tables.ts';
import { recordProgress, readProgress } from './target.ts';

/** A table without partitions, or a partition: its rows are copied in ranges of blocks. */
interface Leaf {
  name: string;
  blocks: number;
}

export interface LargeTable extends Table {
  leaves: Leaf[];
}

/** The rows copied in one transaction, which is the most that a kill costs. */
const CHUNK_BLOCKS = 1_024;

/** Tables without references in either direction: their rows may be committed before all others. */
const LARGE = `
  SELECT t.name, l.leaf, l.blocks::int AS blocks
  FROM unnest($1::text[]) AS t (name)
  CROSS JOIN LATERAL (
    SELECT p.relid::text AS leaf, pg_relation_size(p.relid) / current_setting('block_size')::int AS blocks
    FROM (
      SELECT relid FROM pg_partition_tree(t.name::regclass) WHERE isleaf
      UNION SELECT t.name::regclass
    ) AS p JOIN pg_class c ON c.oid = p.relid AND c.relkind = 'r'
  ) AS l
  WHERE NOT EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND t.name::regclass IN (f.conrelid, f.confrelid))
  ORDER BY t.name, l.leaf`;

/** The tables that are copied in parts: those larger than one part. */
export async function listLargeTables(session: CopySession, tables: readonly Table[]): Promise<LargeTable[]> {
  const values = [tables.map(({ name }) => name)];
  const { rows } = await session.query<{ name: string; leaf: string; blocks: number }>({
    text: LARGE,
    values,
  });
  return tables
    .map((table) => ({
      ...table,
      leaves: rows
        .filter(({ name }) => name === table.name)
        .map(({ leaf, blocks }) => ({ name: leaf, blocks })),
    }))
    .filter(({ leaves }) => leaves.reduce((sum, { blocks }) => sum + blocks, 0) > CHUNK_BLOCKS);
}

interface Sides {
  source: CopySession;
  target: CopySession;
}

interface Move extends Sides {
  onRows(table: string, rows: number): void;
}

/** The tables whose rows, copied by an earlier run, differ from the source by now. */
export async function findChanged(
  large: readonly LargeTable[],
  { source, target }: Sides,
): Promise<LargeTable[]> {
  const changed = new Set<LargeTable>();
  for (const table of large) {
    for (const { name } of table.leaves) {
      const blocks = await readProgress(target, name);
      const sides = { source, target, blocks };
      if (blocks > 0 && !(await hasSameStart({ ...table, name }, sides))) changed.add(table);
    }
  }
  return [...changed];
}

/** Copies the missing rows of a table. Each part is committed together with its progress. */
export async function copyLargeTable(table: LargeTable, { source, target, onRows }: Move): Promise<void> {
  for (const { name: leaf, blocks } of table.leaves) {
    for (let from = await readProgress(target, leaf); from < blocks; from += CHUNK_BLOCKS) {
      await target.query({ text: 'BEGIN' });
      const rows = await target.copyIn(copyInto(table), source.copyOut(copyBlocks(table, leaf, from)));
      await recordProgress(target, leaf, from + CHUNK_BLOCKS);
      await target.query({ text: 'COMMIT' });
      onRows(table.name, rows);
    }
  }
}

function copyBlocks({ columns }: Table, leaf: string, from: number): string {
  return `COPY (SELECT ${columns.join(', ')} FROM ONLY ${leaf}
    WHERE ctid >= '(${from},0)' AND ctid < '(${from + CHUNK_BLOCKS},0)') TO STDOUT`;
}
