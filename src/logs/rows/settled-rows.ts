import type { Queryable } from '#storage';
import { epochMs } from '#storage';
import type { Tenants } from './log-filter.ts';
import type { LogRow } from './log-row.ts';
import { ROW_COLUMNS, type StoredRow, readRow } from './read-row.ts';

/** A final row. A corrected one replaces it later, at another position and with the same request id. */
export interface SettledRow {
  position: bigint;
  /** Milliseconds since the Unix epoch. */
  settledAt: number;
  row: LogRow;
}

interface Span {
  /** Rows after this position, which is excluded. */
  after: bigint;
  /** The last position. */
  through: bigint;
}

type StoredSettled = StoredRow & { position: bigint; settled_at: number };

/** The rows of a span of positions at or before the frontier, in their order. */
export async function readSettled(
  client: Queryable,
  { after, through }: Span,
  tenants: Tenants,
): Promise<SettledRow[]> {
  const { rows } = await client.query<StoredSettled>({
    name: 'request_log_settled',
    text: `SELECT position, ${epochMs('closed_at')} AS settled_at, ${ROW_COLUMNS}
      FROM request_log WHERE position > $1 AND position <= $2 AND ($3::text IS NULL OR organization_id = $3)
      ORDER BY position`,
    values: [after, through, tenants === 'all' ? null : tenants.organizationId],
  });
  return rows.map(toSettled);
}

const toSettled = (stored: StoredSettled): SettledRow => ({
  position: stored.position,
  settledAt: stored.settled_at,
  row: readRow(stored),
});

/** The rows at some positions, in their order. */
export async function readPositions(client: Queryable, positions: readonly bigint[]): Promise<SettledRow[]> {
  const { rows } = await client.query<StoredSettled>({
    name: 'request_log_positions',
    text: `SELECT position, ${epochMs('closed_at')} AS settled_at, ${ROW_COLUMNS}
      FROM request_log WHERE position = ANY($1::bigint[]) ORDER BY position`,
    values: [positions.map(String)],
  });
  return rows.map(toSettled);
}

/**
 * The position up to which no row can appear any more. Rows take positions before they are committed, so a reader of the
 * newest positions would miss rows of slower transactions.
 */
export class SettledFrontier {
  /** Reached once every transaction before `transaction` is over. */
  #next: { position: bigint; transaction: bigint } | undefined;
  #position = 0n;

  get position(): bigint {
    return this.#position;
  }

  /** Looks again; returns the position. */
  async advance(client: Queryable): Promise<bigint> {
    // Before the snapshot: whatever has taken one of these positions had its transaction id by then.
    const last = this.#next ? undefined : await readLastPosition(client);
    const { oldest, next } = await readTransactions(client);
    if (last !== undefined && last > this.#position) this.#next = { position: last, transaction: next };
    if (this.#next && oldest >= this.#next.transaction) {
      this.#position = this.#next.position;
      this.#next = undefined;
    }
    return this.#position;
  }
}

/** The last position that was given out. */
export async function readLastPosition(client: Queryable): Promise<bigint> {
  const { rows } = await client.query<{ position: bigint }>({
    text: 'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS position FROM request_log_position',
  });
  return rows[0]?.position ?? 0n;
}

/** The oldest transaction that is not over, and the next to begin. */
async function readTransactions(client: Queryable): Promise<{ oldest: bigint; next: bigint }> {
  const { rows } = await client.query<{ oldest: string; next: string }>({
    text: `SELECT pg_snapshot_xmin(s)::text AS oldest, pg_snapshot_xmax(s)::text AS next FROM pg_current_snapshot() AS s`,
  });
  const { oldest = '0', next = '0' } = rows[0] ?? {};
  return { oldest: BigInt(oldest), next: BigInt(next) };
}
