import type { Database, Queryable } from '#storage';
import type { JobTenant } from '../jobs/job-store.ts';
import type { InlineVideo } from '../protocol.ts';

/** The type and size of a stored video. */
export interface StoredVideo {
  mediaType: string;
  size: number;
}

/** Parts are read one at a time, so that slow readers hold no more memory. */
export const PART_BYTES = 256 * 1024;
const ADDRESS = /^inline:(\d{1,12}):(video\/[\w.+-]{1,60})$/;

/** Takes the place of the address for videos that their provider does not store. */
export function createStoredAddress({ mediaType, bytes }: InlineVideo): string {
  return `inline:${bytes.length}:${mediaType}`;
}

export function findStoredVideo(address: string): StoredVideo | undefined {
  const [, size, mediaType] = ADDRESS.exec(address) ?? [];
  return mediaType === undefined ? undefined : { mediaType, size: Number(size) };
}

/** The owner of a video, and until when it is stored (milliseconds since the Unix epoch). */
interface Keeping extends JobTenant {
  jobId: string;
  expiresAt: number;
}

/** Stores the bytes of a video. */
export async function insertContent(
  transaction: Queryable,
  { jobId, projectId, expiresAt }: Keeping,
  bytes: Buffer,
): Promise<void> {
  for (let part = 0; part * PART_BYTES < bytes.length; part += 1) {
    const piece = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    await transaction.query({
      name: 'video_content_insert',
      text: 'INSERT INTO video_content (job_id, project_id, part, expires_at, bytes) VALUES ($1, $2, $3, $4, $5)',
      values: [jobId, projectId, part, new Date(expiresAt), piece],
    });
  }
}

/** The bytes of videos that their providers do not store. */
export class StoredContent {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Absent once it is no longer stored. */
  async readPart(jobId: string, { projectId }: JobTenant, part: number): Promise<Buffer | undefined> {
    const { rows } = await this.#database.query<{ bytes: Buffer }>({
      name: 'video_content_read',
      text: 'SELECT bytes FROM video_content WHERE job_id = $1 AND project_id = $2 AND part = $3',
      values: [jobId, projectId, part],
    });
    return rows[0]?.bytes;
  }

  async delete(jobId: string, { projectId }: JobTenant): Promise<void> {
    await this.#database.query({
      text: 'DELETE FROM video_content WHERE job_id = $1 AND project_id = $2',
      values: [jobId, projectId],
    });
  }

  /** Deletes expired videos of all projects. */
  async purge(now: number): Promise<void> {
    await this.#database.query({
      text: 'DELETE FROM video_content WHERE expires_at <= $1',
      values: [new Date(now)],
    });
  }
}
