import type { JsonObject } from '#base';
import { type Queryable, type RecordOf, column, defineRecord, ifSet, moment } from '#storage';
import type { ExportSettings } from './export-settings.ts';

/** How far an export has come. */
export interface Cursor {
  /** Every row up to this position is delivered. */
  position: bigint;
  /** The last position of the batch that was being delivered. */
  pendingThrough?: bigint;
  state?: JsonObject;
}

const SPAN = 1_000;

const EXPORT = defineRecord({
  name: column<string>('e.name'),
  type: column<string>('e.type'),
  exportedRows: column<bigint>('e.exported_rows'),
  /** Positions that are not delivered yet: as many rows, or fewer. */
  waiting: column<bigint>('GREATEST(last.position - e.position, 0)'),
  /** How long the oldest undelivered row has been final. */
  lagMs: column<number>(
    `GREATEST(0, (SELECT extract(epoch FROM now() - min(l.closed_at)) * 1000 FROM request_log l
      WHERE l.position > e.position AND l.position <= e.position + ${SPAN}))::float8`,
  ),
  exportedAt: ifSet(moment('e.exported_at')),
  failures: column<number>('e.failures'),
  failingSince: ifSet(moment('e.failing_since')),
  lastError: ifSet(column<string>('e.last_error')),
});

/** The cursor of an export as it is shown. */
export type ExportRecord = RecordOf<typeof EXPORT>;

/** The end of a delivered batch. */
interface Progress {
  position: bigint;
  rows: number;
  state: JsonObject | undefined;
}

interface StoredCursor {
  position: bigint;
  pending_through: bigint | null;
  state: JsonObject | null;
}

/** The cursors of exports in the database. */
export class CursorStore {
  readonly #client: Queryable;

  constructor(client: Queryable) {
    this.#client = client;
  }

  /** Finds the cursor of an export, or creates it. */
  async open({ name, type, from }: Pick<ExportSettings, 'name' | 'type' | 'from'>): Promise<Cursor> {
    const { rows } = await this.#client.query<StoredCursor>({
      text: `INSERT INTO log_export AS e (name, type, position)
        SELECT $1, $2, CASE WHEN is_called AND $3 THEN last_value ELSE 0 END FROM request_log_position
        ON CONFLICT (name) DO UPDATE SET type = $2, state = CASE WHEN e.type = $2 THEN e.state END
        RETURNING position, pending_through, state`,
      values: [name, type, from === 'now'],
    });
    const [row] = rows;
    if (!row) throw new Error(`the cursor of the export ${name} was not stored`);
    return {
      position: row.position,
      ...(row.pending_through !== null && { pendingThrough: row.pending_through }),
      ...(row.state && { state: row.state }),
    };
  }

  /** Notes the batch that is about to be sent. */
  async prepare(name: string, through: bigint): Promise<void> {
    await this.#client.query({
      text: 'UPDATE log_export SET pending_through = $2 WHERE name = $1 AND pending_through IS DISTINCT FROM $2',
      values: [name, through],
    });
  }

  /** Throws if the cursor was reset meanwhile. */
  async advance(name: string, { position, rows, state }: Progress): Promise<void> {
    const { rowCount } = await this.#client.query({
      text: `UPDATE log_export SET position = $2, pending_through = NULL, state = COALESCE($4::jsonb, state),
          exported_rows = exported_rows + $3, exported_at = CASE WHEN $3 > 0 THEN now() ELSE exported_at END,
          failures = 0, failing_since = NULL, last_error = NULL
        WHERE name = $1`,
      values: [name, position, rows, state === undefined ? null : JSON.stringify(state)],
    });
    if (rowCount === 0) throw new Error(`the cursor of the export ${name} was reset`);
  }

  async recordFailure(name: string, reason: string): Promise<void> {
    await this.#client.query({
      text: `UPDATE log_export SET failures = failures + 1, failing_since = COALESCE(failing_since, now()), last_error = $2
        WHERE name = $1`,
      values: [name, reason],
    });
  }

  /** Deletes a cursor; returns whether there was one. */
  async reset(name: string): Promise<boolean> {
    const { rowCount } = await this.#client.query({
      text: 'DELETE FROM log_export WHERE name = $1',
      values: [name],
    });
    return rowCount > 0;
  }

  /** Every export that has a cursor. */
  async list(): Promise<ExportRecord[]> {
    const { rows } = await this.#client.query<object>({
      text: `SELECT ${EXPORT.columns}
        FROM log_export e,
          (SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS position FROM request_log_position) AS last
        ORDER BY e.name`,
    });
    return rows.map((row) => EXPORT.read(row));
  }
}
