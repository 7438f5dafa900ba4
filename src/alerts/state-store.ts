import type { JsonObject } from '#base';
import type { Database } from '#storage';
import { epochMs } from '#storage';
import type { AlertType } from './alert.ts';

/** How long a condition lasts after no process sees it any more. */
const UNSEEN = '2 minutes';

/** The alert when a condition ends. */
interface Ending {
  type: AlertType;
  data: JsonObject;
}

export interface EndedCondition {
  name: string;
  /** When it began. */
  since: number;
  ending: Ending;
}

/** A condition that lasts. */
export interface OpenCondition {
  name: string;
  since: number;
  data: JsonObject;
}

/** The state of conditions, shared by the processes of a gateway. */
export class StateStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes that a condition holds, and the alert when it ends; returns since when. */
  async record(name: string, ending: Ending): Promise<number> {
    const { rows } = await this.#database.query<{ since: number }>({
      text: `INSERT INTO alert_state AS s (name, ending) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET seen_at = clock_timestamp(), ending = $2
        RETURNING ${epochMs('since')} AS since`,
      values: [name, JSON.stringify(ending)],
    });
    return rows[0]?.since ?? 0;
  }

  /** Ends a condition; undefined if another process ended it. */
  async end(name: string): Promise<EndedCondition | undefined> {
    const { rows } = await this.#database.query<EndedCondition>({
      text: `DELETE FROM alert_state WHERE name = $1
        RETURNING name, ending, ${epochMs('since')} AS since`,
      values: [name],
    });
    return rows[0];
  }

  /** Ends the conditions that no process sees any more, because the one that did has ended. */
  async endUnseen(): Promise<EndedCondition[]> {
    const { rows } = await this.#database.query<EndedCondition>({
      text: `DELETE FROM alert_state WHERE ending IS NOT NULL AND seen_at < now() - interval '${UNSEEN}'
        RETURNING name, ending, ${epochMs('since')} AS since`,
    });
    return rows;
  }

  /** Conditions that last, the latest first. */
  async listOpen(limit: number): Promise<OpenCondition[]> {
    const { rows } = await this.#database.query<OpenCondition>({
      text: `SELECT name, ${epochMs('since')} AS since, ending -> 'data' AS data
        FROM alert_state WHERE ending IS NOT NULL ORDER BY alert_state.since DESC, name LIMIT $1`,
      values: [limit],
    });
    return rows;
  }

  async hasBegun(name: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: 'SELECT FROM alert_state WHERE name = $1',
      values: [name],
    });
    return rowCount > 0;
  }

  async begin(name: string): Promise<void> {
    await this.#database.query({
      text: 'INSERT INTO alert_state (name) VALUES ($1) ON CONFLICT (name) DO NOTHING',
      values: [name],
    });
  }

  /** Whether something has not been done for a while; if so, this process does it. */
  async takeTurn(name: string, everyHours: number): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO alert_state AS s (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET seen_at = clock_timestamp()
        WHERE s.seen_at < now() - $2 * interval '1 hour'`,
      values: [name, everyHours],
    });
    return rowCount > 0;
  }
}
