import type { Caller } from '#accounts';
import type { Database, Queryable } from '#storage';
import { holderOf } from '#accounts';
import { toStorableText } from '#base';
import { VIDEO_JOB, type VideoJob, type VideoStatus, listEarlierStatuses } from './video-job.ts';

/** Whose jobs are visible: a project's; for a session token, its holder's. */
export type JobTenant = Pick<Caller, 'projectId' | 'sessionTokenId' | 'endUserId'>;

/** The values of a new job. */
interface NewJob {
  job: VideoJob;
  idempotencyKey?: string;
  orderDigest: string;
  /** How long no other process may claim it. */
  leaseMs: number;
}

/** A page of a project's jobs, by age. */
export interface JobPage {
  limit: number;
  order: 'asc' | 'desc';
  /** The id of the last job of the previous page. */
  after?: string;
}

/** A change of a job; absent fields stay. */
interface JobChange {
  status: VideoStatus;
  progress?: number;
  contentUrl?: string;
  contentExpiresAt?: number;
  error?: { code: string; message: string };
  endedAt?: number;
}

const OPEN = `status IN ('queued', 'in_progress')`;
const FORGET = `UPDATE video_job SET deleted_at = now(), prompt = '', content_url = NULL`;
/** Jobs of the tenant in the values of `toSeen`. */
const SEEN = 'project_id = $1 AND ($2::text IS NULL OR holder = $2) AND deleted_at IS NULL';
const INTERVAL = (place: string): string => `${place} * interval '1 millisecond'`;

/** The jobs in the database. Every query for a caller is restricted to its tenant. */
export class JobStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns whether the job was new: another may have used its idempotency key. */
  async insert(
    transaction: Queryable,
    { job, idempotencyKey, orderDigest, leaseMs }: NewJob,
  ): Promise<boolean> {
    const { rowCount } = await transaction.query({
      text: `INSERT INTO video_job (id, request_id, organization_id, project_id, key_id, idempotency_key, order_digest,
          requested_model, model_id, provider_id, external_id, prompt, seconds, size, price_version, cost, premium, status,
          created_at, deadline, row, holder, credential, poll_at, leased_until)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
          $22, $23, clock_timestamp(), clock_timestamp() + ${INTERVAL('$24')})
        ON CONFLICT (project_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING`,
      values: [
        job.id,
        job.requestId,
        job.organizationId,
        job.projectId,
        job.keyId,
        idempotencyKey ?? null,
        orderDigest,
        job.requestedModel,
        job.modelId,
        job.providerId,
        job.externalId,
        toStorableText(job.prompt),
        job.seconds,
        job.size,
        job.priceVersion ?? null,
        job.cost.toString(),
        job.premium,
        job.status,
        new Date(job.createdAt),
        new Date(job.deadline),
        JSON.stringify(job.row),
        holderOf(job.row) ?? null,
        job.credential ?? null,
        leaseMs,
      ],
    });
    return rowCount > 0;
  }

  /** The provider and credential now asked, the next of several, and the order as chosen for it. */
  async assign({ id, ...job }: VideoJob): Promise<void> {
    await this.#database.query({
      text: `UPDATE video_job SET provider_id = $2, external_id = $3, price_version = $4, cost = $5, premium = $6,
        seconds = $7, size = $8, credential = $9 WHERE id = $1 AND ${OPEN}`,
      values: [
        id,
        job.providerId,
        job.externalId,
        job.priceVersion ?? null,
        job.cost.toString(),
        job.premium,
        job.seconds,
        job.size,
        job.credential ?? null,
      ],
    });
  }

  /** The provider has accepted the order; from now on it is polled. */
  async start(
    id: string,
    upstreamId: string,
    { pollInMs, progress }: { pollInMs: number; progress: number },
  ): Promise<void> {
    await this.#database.query({
      text: `UPDATE video_job SET upstream_id = $2, progress = $3, leased_until = NULL,
        poll_at = clock_timestamp() + ${INTERVAL('$4')} WHERE id = $1 AND ${OPEN}`,
      values: [id, toStorableText(upstreamId), progress, pollInMs],
    });
  }

  /** Compare and set: returns whether this call changed the job's status. */
  async move(transaction: Queryable, id: string, change: JobChange): Promise<boolean> {
    const { rowCount } = await transaction.query({
      text: `UPDATE video_job SET status = $2, progress = COALESCE($3, progress), content_url = COALESCE($4, content_url),
          content_expires_at = COALESCE($5, content_expires_at), error_code = $6, error_message = $7,
          ended_at = COALESCE($8, ended_at), leased_until = CASE WHEN $8::timestamptz IS NULL THEN leased_until END
        WHERE id = $1 AND status = ANY ($9)`,
      values: [
        id,
        change.status,
        change.progress ?? null,
        toStored(change.contentUrl),
        change.contentExpiresAt === undefined ? null : new Date(change.contentExpiresAt),
        toStored(change.error?.code),
        toStored(change.error?.message),
        change.endedAt === undefined ? null : new Date(change.endedAt),
        listEarlierStatuses(change.status),
      ],
    });
    return rowCount > 0;
  }

  /** Claims open jobs that are due, each for a while: no other process takes them meanwhile. */
  async claim(most: number, leaseMs: number): Promise<VideoJob[]> {
    const { rows } = await this.#database.query<object>({
      name: 'video_claim',
      text: `UPDATE video_job SET leased_until = clock_timestamp() + ${INTERVAL('$2')} WHERE id = ANY (ARRAY(
          SELECT id FROM video_job WHERE ${OPEN} AND poll_at <= clock_timestamp()
            AND (leased_until IS NULL OR leased_until <= clock_timestamp())
          ORDER BY poll_at LIMIT $1 FOR UPDATE SKIP LOCKED
        )) RETURNING ${VIDEO_JOB.columns}`,
      values: [most, leaseMs],
    });
    return rows.map((row) => VIDEO_JOB.read(row));
  }

  /** Releases a job that is still open. */
  async release(
    id: string,
    next: { pollInMs: number; failures: number; progress: number; status: VideoStatus },
  ): Promise<void> {
    await this.#database.query({
      name: 'video_release',
      text: `UPDATE video_job SET leased_until = NULL, poll_at = clock_timestamp() + ${INTERVAL('$2')}, failures = $3,
        progress = GREATEST(progress, $4), status = $5 WHERE id = $1 AND ${OPEN}`,
      values: [id, next.pollInMs, next.failures, next.progress, next.status],
    });
  }

  /** Releases all claims; only if no other process can hold one. */
  async releaseAll(): Promise<void> {
    await this.#database.query({
      text: `UPDATE video_job SET leased_until = NULL WHERE ${OPEN} AND leased_until IS NOT NULL`,
    });
  }

  async find(id: string, tenant: JobTenant): Promise<VideoJob | undefined> {
    return this.#findOne(`id = $3 AND ${SEEN}`, [...toSeen(tenant), id]);
  }

  async findByRequest(requestId: string, tenant: JobTenant): Promise<VideoJob | undefined> {
    return this.#findOne(`request_id = $3 AND ${SEEN}`, [...toSeen(tenant), requestId]);
  }

  /** The job created with an idempotency key, and its order. */
  async findByKey(
    key: string,
    { projectId }: JobTenant,
  ): Promise<{ job: VideoJob; orderDigest: string } | undefined> {
    const { rows } = await this.#database.query<{ order_digest: string }>({
      text: `SELECT ${VIDEO_JOB.columns}, order_digest FROM video_job WHERE idempotency_key = $1 AND project_id = $2`,
      values: [key, projectId],
    });
    const [row] = rows;
    return row && { job: VIDEO_JOB.read(row), orderDigest: row.order_digest };
  }

  async list(tenant: JobTenant, { limit, order, after }: JobPage): Promise<VideoJob[]> {
    const comparison = order === 'asc' ? '>' : '<';
    const { rows } = await this.#database.query<object>({
      text: `SELECT ${VIDEO_JOB.columns} FROM video_job WHERE ${SEEN}
          AND ($3::text IS NULL OR (created_at, id) ${comparison}
            (SELECT p.created_at, p.id FROM video_job p
             WHERE p.id = $3 AND p.project_id = $1 AND ($2::text IS NULL OR p.holder = $2)))
        ORDER BY created_at ${order}, id ${order} LIMIT $4`,
      values: [...toSeen(tenant), after ?? null, limit],
    });
    return rows.map((row) => VIDEO_JOB.read(row));
  }

  async listAsOperator({ limit, openOnly }: { limit: number; openOnly: boolean }): Promise<VideoJob[]> {
    const { rows } = await this.#database.query<object>({
      text: `SELECT ${VIDEO_JOB.columns} FROM video_job WHERE NOT $2 OR ${OPEN} ORDER BY created_at DESC, id DESC LIMIT $1`,
      values: [limit, openOnly],
    });
    return rows.map((row) => VIDEO_JOB.read(row));
  }

  async findAsOperator(id: string): Promise<VideoJob | undefined> {
    return this.#findOne('id = $1 OR request_id = $1', [id]);
  }

  /** Erases the prompt and error of an ended job; its bill stays, and its idempotency key remains used. */
  async delete(id: string, { projectId }: JobTenant): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `${FORGET} WHERE id = $1 AND project_id = $2 AND deleted_at IS NULL AND NOT ${OPEN}`,
      values: [id, projectId],
    });
    return rowCount > 0;
  }

  /** The same for a job whose caller never received it, so that its idempotency key can be reused. */
  async discard(transaction: Queryable, id: string, { projectId }: JobTenant): Promise<void> {
    const text = `${FORGET}, idempotency_key = NULL WHERE id = $1 AND project_id = $2`;
    await transaction.query({ text, values: [id, projectId] });
  }

  async #findOne(condition: string, values: readonly unknown[]): Promise<VideoJob | undefined> {
    const { rows } = await this.#database.query<object>({
      text: `SELECT ${VIDEO_JOB.columns} FROM video_job WHERE ${condition}`,
      values,
    });
    return rows[0] && VIDEO_JOB.read(rows[0]);
  }
}

function toStored(text: string | undefined): string | null {
  return text === undefined ? null : toStorableText(text);
}

function toSeen(tenant: JobTenant): (string | null)[] {
  return [tenant.projectId, holderOf(tenant) ?? null];
}
