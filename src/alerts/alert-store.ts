import type { JsonObject } from '#base';
import type { Database } from '#storage';
import type { Alert, AlertType } from './alert.ts';
import { createIdentifier } from '#base';
import {
  type DeliveryOutcome,
  EventTable,
  type EventQueue,
  type PendingEvent,
  SELECT_OUTCOME,
} from '#webhooks';
import { epochMs } from '#storage';

/** An alert to deliver. */
export interface AlertEvent extends PendingEvent {
  type: AlertType;
  data: JsonObject;
}

/** An alert with the state of its delivery. */
export interface AlertRecord {
  id: string;
  type: string;
  data: JsonObject;
  createdAt: number;
  attempts: number;
  outcome: DeliveryOutcome;
}

/** Alerts in the database. */
export class AlertStore extends EventTable implements EventQueue<AlertEvent> {
  constructor(database: Database) {
    super(database, 'alert_event');
  }

  /** Adds alerts, except about subjects that already had one; silent ones are noted and not sent. */
  async add(alerts: readonly Alert[], { isSilent = false } = {}): Promise<void> {
    if (alerts.length === 0) return;
    const rows = alerts.map(({ subject, type, data, expiresAt }) => ({
      id: createIdentifier('evt'),
      subject,
      type,
      data,
      expires_at: expiresAt?.toISOString(),
    }));
    await this.database.query({
      text: `INSERT INTO alert_event (id, subject, type, data, expires_at, abandoned_at)
        SELECT r.id, r.subject, r.type, r.data, r.expires_at, CASE WHEN $2 THEN now() END
        FROM jsonb_to_recordset($1) AS r (id text, subject text, type text, data jsonb, expires_at timestamptz)
        ON CONFLICT (subject) DO NOTHING`,
      values: [JSON.stringify(rows), isSilent],
    });
  }

  async claim(most: number, leaseMs: number): Promise<AlertEvent[]> {
    const columns = `id, type, data, attempts, ${epochMs('created_at')} AS "createdAt"`;
    return this.claimRows<AlertEvent>(columns, most, leaseMs);
  }

  /** The latest alerts that were to be sent. */
  async list(limit: number): Promise<AlertRecord[]> {
    const { rows } = await this.database.query<AlertRecord>({
      text: `SELECT id, type, data, attempts, ${epochMs('created_at')} AS "createdAt",
          ${SELECT_OUTCOME}
        FROM alert_event WHERE attempts > 0 OR abandoned_at IS NULL ORDER BY created_at DESC, id LIMIT $1`,
      values: [limit],
    });
    return rows;
  }

  /** Deletes alerts whose subjects are over. */
  async sweep(): Promise<void> {
    await this.database.query({ text: 'DELETE FROM alert_event WHERE expires_at < now()' });
  }
}
