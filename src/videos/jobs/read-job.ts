import type { LogRow } from '#logs';
import type { VideoJob, VideoStatus } from './video-job.ts';
import { parseJson } from '#base';

/** A row of `video_job` as the queries here select it. */
export interface StoredJob {
  id: string;
  request_id: string;
  organization_id: string;
  project_id: string;
  key_id: string;
  requested_model: string;
  model_id: string;
  provider_id: string;
  external_id: string;
  credential: string | null;
  prompt: string;
  seconds: number;
  size: string;
  price_version: string | null;
  cost: string;
  premium: boolean;
  status: VideoStatus;
  progress: number;
  upstream_id: string | null;
  content_url: string | null;
  content_expires_at: Date | null;
  error_code: string | null;
  error_message: string | null;
  created_at: Date;
  deadline: Date;
  ended_at: Date | null;
  failures: number;
  row: string;
}

export const JOB_COLUMNS = `
  id, request_id, organization_id, project_id, key_id, requested_model, model_id, provider_id, external_id, credential, prompt, seconds,
  size, price_version, cost::text AS cost, premium, status, progress, upstream_id, content_url, content_expires_at, error_code,
  error_message, created_at, deadline, ended_at, failures, row`;

export function readJob(stored: StoredJob): VideoJob {
  return {
    id: stored.id,
    requestId: stored.request_id,
    organizationId: stored.organization_id,
    projectId: stored.project_id,
    keyId: stored.key_id,
    requestedModel: stored.requested_model,
    modelId: stored.model_id,
    providerId: stored.provider_id,
    externalId: stored.external_id,
    prompt: stored.prompt,
    seconds: stored.seconds,
    size: stored.size,
    cost: BigInt(stored.cost),
    premium: stored.premium,
    status: stored.status,
    progress: stored.progress,
    createdAt: stored.created_at.getTime(),
    deadline: stored.deadline.getTime(),
    failures: stored.failures,
    row: parseJson(stored.row) as unknown as LogRow,
    ...readOptional(stored),
  };
}

function readOptional(stored: StoredJob): Partial<VideoJob> {
  const { error_code: code, error_message: message } = stored;
  return {
    ...(stored.price_version !== null && { priceVersion: stored.price_version }),
    ...(stored.credential !== null && { credential: stored.credential }),
    ...(stored.upstream_id !== null && { upstreamId: stored.upstream_id }),
    ...(stored.content_url !== null && { contentUrl: stored.content_url }),
    ...(stored.content_expires_at && { contentExpiresAt: stored.content_expires_at.getTime() }),
    ...(stored.ended_at && { endedAt: stored.ended_at.getTime() }),
    ...(code !== null && { error: { code, message: message ?? '' } }),
  };
}
