import type { PicoUsd } from '#base';
import type { LogRow } from '#logs';

/** The state of a job. The last four are final. */
export type VideoStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'canceled' | 'expired';

export type FinalStatus = Exclude<VideoStatus, 'queued' | 'in_progress'>;

/** An ordered video. Times are milliseconds since the Unix epoch. */
export interface VideoJob {
  id: string;
  /** The id of its log row and its hold; also part of its content's address. */
  requestId: string;
  organizationId: string;
  projectId: string;
  keyId: string;
  requestedModel: string;
  modelId: string;
  providerId: string;
  externalId: string;
  /** The name of the gateway's credential; absent for the only or the default one. */
  credential?: string;
  prompt: string;
  seconds: number;
  size: string;
  priceVersion?: string;
  /** Seconds × price, at the prices when it was ordered. */
  cost: PicoUsd;
  /** Whether its model draws on the premium allowance of a plan. */
  premium: boolean;
  status: VideoStatus;
  /** Percent. */
  progress: number;
  /** The provider's id for it; absent until the provider has accepted the order. */
  upstreamId?: string;
  /** Where its bytes are; absent until it is completed. */
  contentUrl?: string;
  contentExpiresAt?: number;
  error?: VideoError;
  createdAt: number;
  /** When it expires. */
  deadline: number;
  endedAt?: number;
  /** How many polls in a row have failed. */
  failures: number;
  /** Its log row as of the order. */
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

/** Whether a job has ended. */
export function isFinal(status: VideoStatus): status is FinalStatus {
  return NEXT[status].length === 0;
}

/** The statuses from which a job may reach this one. */
export function listEarlierStatuses(next: VideoStatus): VideoStatus[] {
  return (Object.keys(NEXT) as VideoStatus[]).filter((status) => canBecome(status, next));
}
