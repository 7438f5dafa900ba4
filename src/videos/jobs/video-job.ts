import type { PicoUsd } from '#base';
import type { LogRow } from '#logs';

/** How far a job has come. The last four are final. */
export type VideoStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'canceled' | 'expired';

export type FinalStatus = Exclude<VideoStatus, 'queued' | 'in_progress'>;

/** A video that was ordered. Times are milliseconds since the Unix epoch. */
export interface VideoJob {
  id: string;
  /** The id of its log row and its hold; the address of its content bears it. */
  requestId: string;
  organizationId: string;
  projectId: string;
  keyId: string;
  requestedModel: string;
  modelId: string;
  providerId: string;
  externalId: string;
  prompt: string;
  seconds: number;
  size: string;
  priceVersion?: string;
  /** Seconds × price, at the prices of the moment it was ordered. */
  cost: PicoUsd;
  /** Whether its model draws on the premium allowance of a plan. */
  premium: boolean;
  status: VideoStatus;
  /** Percent. */
  progress: number;
  /** The provider's name for it; absent until the provider has answered the order. */
  upstreamId?: string;
  /** Where its bytes are; absent until it is completed. */
  contentUrl?: string;
  contentExpiresAt?: number;
  error?: VideoError;
  createdAt: number;
  /** When it is given up. */
  deadline: number;
  endedAt?: number;
  /** How often in a row its provider could not be asked. */
  failures: number;
  /** Its log row as it was when it was ordered. */
  row: LogRow;
}

export interface VideoError {
  code: string;
  message: string;
}

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

/** Whether nothing more will happen to a job. */
export function isFinal(status: VideoStatus): status is FinalStatus {
  return NEXT[status].length === 0;
}

/** The statuses a job may have had before it came to this one. */
export function listEarlier(next: VideoStatus): VideoStatus[] {
  return (Object.keys(NEXT) as VideoStatus[]).filter((status) => canBecome(status, next));
}
