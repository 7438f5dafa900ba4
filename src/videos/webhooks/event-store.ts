import type { Database, Queryable } from '#storage';
import type { FinalStatus, VideoJob } from '../jobs/video-job.ts';
import { createIdentifier } from '#base';

/** Where a project receives the events of its jobs. */
interface Webhook {
  projectId: string;
  url: string;
  /** Incremented to replace the signing secret. */
  secretVersion: number;
}

/** An event to deliver. */
export interface VideoEvent {
  id: string;
  type: string;
  jobId: string;
  projectId: string;
  createdAt: number;
  /** The number of attempts. */
  attempts: number;
  webhook: Webhook;
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
export class EventStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async findWebhook(projectId: string): Promise<Webhook | undefined> {
    const { rows } = await this.#database.query<{ url: string; secret_version: number }>({
      text: 'SELECT url, secret_version FROM video_webhook WHERE project_id = $1',
      values: [projectId],
    });
    const [row] = rows;
    return row && { projectId, url: row.url, secretVersion: row.secret_version };
  }

  /** Sets the address; a new one gets a new secret, and with `rotate` so does the same one. */
  async setWebhook(projectId: string, url: string, rotate: boolean): Promise<void> {
    await this.#database.query({
      text: `INSERT INTO video_webhook AS w (project_id, url, secret_version)
        VALUES ($1, $2, floor(random() * 2147483646)::integer + 1)
        ON CONFLICT (project_id) DO UPDATE SET url = $2,
          secret_version = CASE WHEN $3 OR w.url <> $2 THEN excluded.secret_version ELSE w.secret_version END`,
      values: [projectId, url, rotate],
    });
  }

  async removeWebhook(projectId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
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
    const { rows } = await this.#database.query<StoredEvent>({
      name: 'video_event_claim',
      text: `WITH taken AS (
          UPDATE video_event SET leased_until = clock_timestamp() + $2 * interval '1 millisecond', attempts = attempts + 1
          WHERE id IN (
            SELECT id FROM video_event WHERE delivered_at IS NULL AND abandoned_at IS NULL AND next_at <= clock_timestamp()
              AND (leased_until IS NULL OR leased_until <= clock_timestamp())
            ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED
          ) RETURNING id, type, job_id, project_id, created_at, attempts
        ) SELECT t.*, w.url, w.secret_version FROM taken t LEFT JOIN video_webhook w ON w.project_id = t.project_id`,
      values: [most, leaseMs],
    });
    const events: VideoEvent[] = [];
    for (const row of rows) {
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

  async noteDelivered(id: string): Promise<void> {
    await this.#database.query({
      text: 'UPDATE video_event SET delivered_at = clock_timestamp(), leased_until = NULL WHERE id = $1',
      values: [id],
    });
  }

  async abandon(id: string): Promise<void> {
    await this.#database.query({
      text: 'UPDATE video_event SET abandoned_at = clock_timestamp(), leased_until = NULL WHERE id = $1',
      values: [id],
    });
  }

  async retryIn(id: string, delayMs: number): Promise<void> {
    await this.#database.query({
      text: `UPDATE video_event SET next_at = clock_timestamp() + $2 * interval '1 millisecond', leased_until = NULL
        WHERE id = $1`,
      values: [id, delayMs],
    });
  }
}
