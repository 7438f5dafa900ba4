import type { LogRow } from '#logs';
import { parseJson } from '#base';
import { type RecordOf, amount, column, defineRecord, ifSet, moment } from '#storage';

/** The state of a job. The last four are final. */
export type VideoStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'canceled' | 'expired';

export type FinalStatus = Exclude<VideoStatus, 'queued' | 'in_progress'>;

export interface VideoError {
  code: string;
  message: string;
}

/** A row of `video_job`. */
export const VIDEO_JOB = defineRecord({
  id: column<string>('id'),
  /** The id of its log row and its hold; also part of its content's address. */
  requestId: column<string>('request_id'),
  organizationId: column<string>('organization_id'),
  projectId: column<string>('project_id'),
  keyId: column<string>('key_id'),
  requestedModel: column<string>('requested_model'),
  modelId: column<string>('model_id'),
  providerId: column<string>('provider_id'),
  externalId: column<string>('external_id'),
  /** The name of the gateway's credential; absent for the only or the default one. */
  credential: ifSet(column<string>('credential')),
  prompt: column<string>('prompt'),
  seconds: column<number>('seconds'),
  size: column<string>('size'),
  priceVersion: ifSet(column<string>('price_version')),
  /** Seconds × price, at the prices when it was ordered. */
  cost: amount('cost'),
  /** Whether its model draws on the premium allowance of a plan. */
  premium: column<boolean>('premium'),
  status: column<VideoStatus>('status'),
  /** Percent. */
  progress: column<number>('progress'),
  /** The provider's id for it; absent until the provider has accepted the order. */
  upstreamId: ifSet(column<string>('upstream_id')),
  /** Where its bytes are; absent until it is completed. */
  contentUrl: ifSet(column<string>('content_url')),
  contentExpiresAt: ifSet(moment('content_expires_at')),
  error: ifSet(
    column<VideoError>(
      `CASE WHEN error_code IS NOT NULL THEN
        jsonb_build_object('code', error_code, 'message', COALESCE(error_message, '')) END`,
    ),
  ),
  createdAt: moment('created_at'),
  /** When it expires. */
  deadline: moment('deadline'),
  endedAt: ifSet(moment('ended_at')),
  /** How many polls in a row have failed. */
  failures: column<number>('failures'),
  /** Its log row as of the order. */
  row: column('row', (text) => parseJson(text as string) as unknown as LogRow),
});

/** An ordered video. */
export type VideoJob = RecordOf<typeof VIDEO_JOB>;

const NEXT: Record<VideoStatus, readonly VideoStatus[]> = {
  queued: ['in_progress', 'completed', 'failed', 'canceled', 'expired'],
  in_progress: ['completed', 'failed', 'canceled', 'expired'],
  completed: [],
  failed: [],
  canceled: [],
  expired: [],
};

/** Whether a job may go from one status to another. */
function canBecome(status: VideoStatus, next: VideoStatus): boolean {
  return NEXT[status].includes(next);
}

/** Whether a job has ended. */
export function isFinal(status: VideoStatus): status is FinalStatus {
  return NEXT[status].length === 0;
}

/** The statuses from which a job may reach this one. */
export function listEarlierStatuses(next: VideoStatus): VideoStatus[] {
  return (Object.keys(NEXT) as VideoStatus[]).filter((status) => canBecome(status, next));
}
