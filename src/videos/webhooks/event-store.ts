import type { Database, Queryable } from '#storage';
import type { FinalStatus, VideoJob } from '../jobs/video-job.ts';
import { createIdentifier } from '#base';
import { epochMs } from '#storage';
import {
  type DeliveryOutcome,
  EventTable,
  type EventQueue,
  type PendingEvent,
  SELECT_OUTCOME,
} from '#webhooks';

/** Where a project receives the events of its jobs. */
interface Webhook {
  projectId: string;
  url: string;
  /** Incremented to replace the signing secret. */
  secretVersion: number;
}

/** An event to deliver. */
export interface VideoEvent extends PendingEvent {
  type: string;
  jobId: string;
  projectId: string;
  webhook: Webhook;
}

/** An event with the state of its delivery. Times are milliseconds since the Unix epoch. */
export interface WebhookDelivery {
  id: string;
  type: string;
  jobId: string;
  projectId: string;
  createdAt: number;
  attempts: number;
  outcome: DeliveryOutcome;
  /** When it is sent again; absent unless it waits. */
  nextAt?: number;
}

export interface DeliveryFilter {
  /** Absent: of every organization. */
  organizationId?: string;
  projectId?: string;
  limit: number;
}

interface StoredEvent {
  id: string;
  type: string;
  job_id: string;
  project_id: string;
  created_at: Date;
  attempts: number;
  url: string | null;
  secret_version: number | null;
}

/** Events and webhooks in the database. */
export class EventStore extends EventTable implements EventQueue<VideoEvent> {
  constructor(database: Database) {
    super(database, 'video_event');
  }

  /** The latest events. By project, because an index has those of each in this order. */
  async list({ organizationId, projectId, limit }: DeliveryFilter): Promise<WebhookDelivery[]> {
    const { rows } = await this.database.query<Omit<WebhookDelivery, 'nextAt'> & { nextAt: number | null }>({
      text: `SELECT e.id, type, job_id AS "jobId", project_id AS "projectId", ${epochMs('e.created_at')} AS "createdAt", attempts,
          ${SELECT_OUTCOME},
          CASE WHEN delivered_at IS NULL AND abandoned_at IS NULL THEN ${epochMs('next_at')} END AS "nextAt"
        FROM project AS p CROSS JOIN LATERAL (
          SELECT * FROM video_event WHERE project_id = p.id ORDER BY created_at DESC, id DESC LIMIT $3
        ) AS e
        WHERE ($1::text IS NULL OR p.organization_id = $1) AND ($2::text IS NULL OR p.id = $2)
        ORDER BY e.created_at DESC, e.id DESC LIMIT $3`,
      values: [organizationId ?? null, projectId ?? null, limit],
    });
    return rows.map(({ nextAt, ...event }) => ({ ...event, ...(nextAt !== null && { nextAt }) }));
  }

  async findWebhook(projectId: string): Promise<Webhook | undefined> {
    const { rows } = await this.database.query<{ url: string; secret_version: number }>({
      text: 'SELECT url, secret_version FROM video_webhook WHERE project_id = $1',
      values: [projectId],
    });
    const [row] = rows;
    return row && { projectId, url: row.url, secretVersion: row.secret_version };
  }

  /** Sets the address; a new one gets a new secret, and with `rotate` so does the same one. */
  async setWebhook(projectId: string, url: string, rotate: boolean): Promise<void> {
    await this.database.query({
      text: `INSERT INTO video_webhook AS w (project_id, url, secret_version)
        VALUES ($1, $2, floor(random() * 2147483646)::integer + 1)
        ON CONFLICT (project_id) DO UPDATE SET url = $2,
          secret_version = CASE WHEN $3 OR w.url <> $2 THEN excluded.secret_version ELSE w.secret_version END`,
      values: [projectId, url, rotate],
    });
  }

  async removeWebhook(projectId: string): Promise<boolean> {
    const { rowCount } = await this.database.query({
      text: 'DELETE FROM video_webhook WHERE project_id = $1',
      values: [projectId],
    });
    return rowCount > 0;
  }

  /** Records the end of a job, if its project has a webhook, in the transaction that ends it. */
  async announce(
    transaction: Queryable,
    { id, projectId }: VideoJob,
    { status, at }: { status: FinalStatus; at: number },
  ): Promise<void> {
    await transaction.query({
      text: `INSERT INTO video_event (id, job_id, project_id, type, created_at)
        SELECT $1, $2, w.project_id, $4, $5 FROM video_webhook w WHERE w.project_id = $3`,
      values: [createIdentifier('evt'), id, projectId, `video.${status}`, new Date(at)],
    });
  }

  /** Claims events that are due, each for a while. Events of projects without a webhook are abandoned. */
  async claim(most: number, leaseMs: number): Promise<VideoEvent[]> {
    const columns = `id, type, job_id, project_id, created_at, attempts,
      (SELECT w.url FROM video_webhook w WHERE w.project_id = video_event.project_id) AS url,
      (SELECT w.secret_version FROM video_webhook w WHERE w.project_id = video_event.project_id) AS secret_version`;
    const events: VideoEvent[] = [];
    for (const row of await this.claimRows<StoredEvent>(columns, most, leaseMs)) {
      const { url, secret_version: secretVersion, project_id: projectId } = row;
      if (url === null || secretVersion === null) await this.abandon(row.id);
      else {
        const webhook = { projectId, url, secretVersion };
        const { id, type, job_id: jobId, created_at: createdAt, attempts } = row;
        events.push({ id, type, jobId, projectId, createdAt: createdAt.getTime(), attempts, webhook });
      }
    }
    return events;
  }
}
