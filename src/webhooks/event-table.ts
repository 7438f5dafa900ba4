import type { Database } from '#storage';

/** Tables of events to deliver; they have the same columns for that. */
type TableName = 'video_event' | 'alert_event';

/** What became of an event. */
export type DeliveryOutcome = 'delivered' | 'abandoned' | 'waiting';

export const SELECT_OUTCOME = `CASE WHEN delivered_at IS NOT NULL THEN 'delivered' WHEN abandoned_at IS NOT NULL THEN 'abandoned'
  ELSE 'waiting' END AS outcome`;

/** The delivery of the events in a table. */
export class EventTable {
  protected readonly database: Database;
  readonly #name: TableName;

  constructor(database: Database, name: TableName) {
    this.database = database;
    this.#name = name;
  }

  /**
   * Claims events that are due, each for a while, and returns these columns of them. `ARRAY`: they are selected once; with
   * `IN` that may be done for every row of the table, and selects others each time.
   */
  protected async claimRows<Row>(columns: string, most: number, leaseMs: number): Promise<Row[]> {
    const { rows } = await this.database.query<Row>({
      name: `${this.#name}_claim`,
      text: `UPDATE ${this.#name} SET leased_until = clock_timestamp() + $2 * interval '1 millisecond', attempts = attempts + 1
        WHERE id = ANY (ARRAY(
          SELECT id FROM ${this.#name} WHERE delivered_at IS NULL AND abandoned_at IS NULL AND next_at <= clock_timestamp()
            AND (leased_until IS NULL OR leased_until <= clock_timestamp())
          ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED
        )) RETURNING ${columns}`,
      values: [most, leaseMs],
    });
    return rows;
  }

  recordDelivered(id: string): Promise<void> {
    return this.#end(id, 'delivered_at');
  }

  abandon(id: string): Promise<void> {
    return this.#end(id, 'abandoned_at');
  }

  async retryIn(id: string, delayMs: number): Promise<void> {
    await this.database.query({
      text: `UPDATE ${this.#name} SET next_at = clock_timestamp() + $2 * interval '1 millisecond', leased_until = NULL
        WHERE id = $1`,
      values: [id, delayMs],
    });
  }

  async #end(id: string, column: 'delivered_at' | 'abandoned_at'): Promise<void> {
    await this.database.query({
      text: `UPDATE ${this.#name} SET ${column} = clock_timestamp(), leased_until = NULL WHERE id = $1`,
      values: [id],
    });
  }
}
