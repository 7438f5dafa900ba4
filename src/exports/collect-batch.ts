import type { Queryable } from '#storage';
import type { ExportSettings } from './export-settings.ts';
import type { Batch } from './destination.ts';
import { type SettledRow, encodeLog, readSettled, toTenants } from '#logs';

/** How many positions are read at once; together with `MOST_BYTES` it bounds the memory of a batch. */
const SPAN = 500n;
const MOST_BYTES = 8 * 1024 * 1024;

interface PositionSpan {
  after: bigint;
  through: bigint;
}

/** A batch, empty if the span has no rows, and the position where it ends. */
interface Collected {
  batch: Batch;
  through: bigint;
}

/** Reads the rows of a span, up to a size. */
export async function collectBatch(
  client: Queryable,
  { name, organizationId }: Pick<ExportSettings, 'name' | 'organizationId'>,
  { after, through }: PositionSpan,
): Promise<Collected> {
  const tenants = toTenants({ organizationId });
  const lines: string[] = [];
  let bytes = 0;
  let firstAt: number | undefined;
  let lastAt = 0;
  let read = after;
  while (read < through && bytes < MOST_BYTES) {
    const end = read + SPAN < through ? read + SPAN : through;
    for (const settled of await readSettled(client, { after: read, through: end }, tenants)) {
      const line = encodeSettled(settled);
      lines.push(line);
      bytes += Buffer.byteLength(line);
      firstAt ??= settled.settledAt;
      lastAt = settled.settledAt;
    }
    read = end;
  }
  const id = `${name}_${after + 1n}_${read}`;
  return {
    through: read,
    batch: { id, first: after + 1n, last: read, firstAt: firstAt ?? 0, lastAt, lines },
  };
}

/** The row as the administration API returns it, and when it became final. */
function encodeSettled({ row, settledAt, position }: SettledRow): string {
  const settled = { settled_at: new Date(settledAt).toISOString(), position: Number(position) };
  return JSON.stringify({ ...encodeLog(row, true), ...settled });
}
