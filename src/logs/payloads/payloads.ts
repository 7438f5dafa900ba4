import type { Database } from '#storage';
import type { Tenants } from '../rows/log-filter.ts';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

/** The longest stored text of a request or an answer; longer ones are cut and marked. */
export const MOST_PAYLOAD_BYTES = 1024 * 1024;

/** A text as it was sent, cut to the limit. */
export interface PayloadText {
  kept: Buffer;
  /** The original size. */
  bytes: number;
}

/** A request and its answer, to be stored verbatim. */
export interface Payload {
  requestId: string;
  organizationId: string;
  projectId: string;
  days: number;
  request: PayloadText;
  answer: PayloadText;
  /** Status and content type as sent to the caller. */
  status: number;
  contentType: string;
  /** Those that the gateway set on the answer. */
  headers: Record<string, string>;
}

/** A stored payload. */
export interface StoredPayload {
  requestId: string;
  expiresAt: number;
  request: StoredText;
  /** Headers are absent where none were stored. */
  answer: StoredText & { status: number; contentType: string; headers?: Record<string, string> };
}

interface StoredText {
  text: string;
  bytes: number;
  isCut: boolean;
}

/** Payloads of projects that store them. */
export interface Payloads {
  save(payload: Payload): Promise<void>;
  find(requestId: string, tenants: Tenants): Promise<StoredPayload | undefined>;
  /** Deletes all payloads of a project, whose tenant the caller has checked; returns their number. */
  deleteOfProjectAsOperator(projectId: string): Promise<number>;
}

const BATCH = 500;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export function createPayloads({ database }: { database: Database }): Payloads {
  return {
    save: (payload) => save(database, payload),
    find: (requestId, tenants) => find(database, requestId, tenants),
    deleteOfProjectAsOperator: (projectId) => deleteOfProject(database, projectId),
  };
}

const INSERT = `
  INSERT INTO request_payload (request_id, organization_id, project_id, expires_at, request, request_bytes, request_cut,
    answer, answer_bytes, answer_cut, answer_status, answer_type, answer_headers)
  VALUES ($1, $2, $3, now() + make_interval(days => $4), $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

async function save(database: Database, payload: Payload): Promise<void> {
  const { requestId, organizationId, projectId, days, request, answer, status, contentType, headers } =
    payload;
  const packed = [await compress(request.kept), await compress(answer.kept)] as const;
  await database.query({
    text: INSERT,
    values: [
      requestId,
      organizationId,
      projectId,
      days,
      packed[0],
      request.bytes,
      request.bytes > request.kept.length,
      packed[1],
      answer.bytes,
      answer.bytes > answer.kept.length,
      status,
      contentType.slice(0, 200),
      JSON.stringify(headers),
    ],
  });
}

interface PayloadRow {
  expires_at: Date;
  request: Buffer;
  request_bytes: bigint;
  request_cut: boolean;
  answer: Buffer;
  answer_bytes: bigint;
  answer_cut: boolean;
  answer_status: number;
  answer_type: string;
  answer_headers: Record<string, string> | null;
}

async function find(
  database: Database,
  requestId: string,
  tenants: Tenants,
): Promise<StoredPayload | undefined> {
  const { rows } = await database.query<PayloadRow>({
    text: `SELECT * FROM request_payload
      WHERE request_id = $1 AND expires_at > now() AND ($2::text IS NULL OR organization_id = $2) LIMIT 1`,
    values: [requestId, tenants === 'all' ? null : tenants.organizationId],
  });
  const [row] = rows;
  if (!row) return undefined;
  const read = async (packed: Buffer): Promise<string> => (await decompress(packed)).toString('utf8');
  return {
    requestId,
    expiresAt: row.expires_at.getTime(),
    request: { text: await read(row.request), bytes: Number(row.request_bytes), isCut: row.request_cut },
    answer: {
      status: row.answer_status,
      contentType: row.answer_type,
      text: await read(row.answer),
      bytes: Number(row.answer_bytes),
      isCut: row.answer_cut,
      ...(row.answer_headers && { headers: row.answer_headers }),
    },
  };
}

async function deleteOfProject(database: Database, projectId: string): Promise<number> {
  let total = 0;
  for (let deleted = BATCH; deleted >= BATCH; total += deleted) {
    const { rowCount } = await database.query({
      text: `DELETE FROM request_payload WHERE project_id = $1 AND request_id = ANY (ARRAY(
        SELECT request_id FROM request_payload WHERE project_id = $1 LIMIT ${BATCH}))`,
      values: [projectId],
    });
    deleted = rowCount;
  }
  return total;
}
