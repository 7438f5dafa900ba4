import type { Ledger, Settlement } from '#accounts';
import type { Clock } from '#base';
import { type LogFinish, type LogRow, type LogUnit } from '#logs';
import type { Database } from '#storage';
import type { Telemetry } from '#telemetry';
import type { InlineVideo } from './protocol.ts';
import type { EventStore } from './webhooks/event-store.ts';
import type { JobStore } from './jobs/job-store.ts';
import type { FinalStatus, VideoError, VideoJob } from './jobs/video-job.ts';
import { createStoredAddress, insertContent } from './content/stored-content.ts';
import { isOwn } from './video-provider.ts';

/** As long as Google keeps its videos. */
const KEPT_MS = 48 * 3_600_000;

/** What closing a job needs. */
export interface ClosingPorts {
  database: Database;
  ledger: Pick<Ledger, 'resolve'>;
  jobs: JobStore;
  events: EventStore;
  clock: Clock;
  telemetry: Pick<Telemetry, 'requestClosed'>;
}

/** The outcome of a job. */
export interface JobEnding {
  status: FinalStatus;
  contentUrl?: string;
  /** The video itself, if its provider does not store it. */
  inline?: InlineVideo;
  contentExpiresAt?: number;
  error?: VideoError;
  /** Whether the provider is likely to charge although nothing was delivered. */
  isCharged?: boolean;
  /** Whether no provider was ever reached. */
  isUnreached?: boolean;
  /** The caller never received the job: it sends no event and is deleted with its idempotency key. */
  isSilent?: boolean;
  /** The finish of its log row, if the status does not determine it. */
  finish?: LogFinish;
  httpStatus?: number;
}

/**
 * Ends a job: status, bill, log row and event in one transaction. Returns whether this call ended it; later calls
 * change nothing.
 */
export async function closeJob(ports: ClosingPorts, job: VideoJob, ending: JobEnding): Promise<boolean> {
  const endedAt = ports.clock.now();
  const keptUntil = endedAt + KEPT_MS;
  const settlement = toSettlement(job, ending, endedAt);
  const isFirst = await ports.database.transaction(async (client) => {
    const isMoved = await ports.jobs.move(client, job.id, {
      status: ending.status,
      endedAt,
      ...(ending.status === 'completed' && { progress: 100 }),
      ...(ending.inline && { contentUrl: createStoredAddress(ending.inline), contentExpiresAt: keptUntil }),
      ...(ending.contentUrl !== undefined && { contentUrl: ending.contentUrl }),
      ...(ending.contentExpiresAt !== undefined && { contentExpiresAt: ending.contentExpiresAt }),
      ...(ending.error && { error: ending.error }),
    });
    if (!isMoved) return false;
    if (ending.inline) {
      const keeping = { jobId: job.id, projectId: job.projectId, expiresAt: keptUntil };
      await insertContent(client, keeping, ending.inline.bytes);
    }
    await ports.ledger.resolve(client, settlement);
    if (ending.isSilent === true) await ports.jobs.discard(client, job.id, job);
    else await ports.events.announce(client, job, { status: ending.status, at: endedAt });
    return true;
  });
  if (isFirst && ending.isSilent !== true) ports.telemetry.requestClosed(settlement.row as LogRow);
  return isFirst;
}

const FINISH: Record<FinalStatus, LogFinish> = {
  completed: 'completed',
  failed: 'upstream_error',
  canceled: 'canceled',
  expired: 'upstream_error',
};

/** With nothing delivered the customer pays nothing, and the provider's charge is the operator's. */
function toSettlement(job: VideoJob, ending: JobEnding, now: number): Settlement {
  const { status, error, isCharged = false, isUnreached = false } = ending;
  const isCompleted = status === 'completed';
  const isTheirs = isOwn(job); // the provider bills the organization
  const customer = isCompleted && !isTheirs ? job.cost : 0n;
  const provider = isCompleted || isCharged ? job.cost : 0n;
  const estimated = isCharged && !isCompleted;
  const units: LogUnit[] | undefined =
    isCompleted || isCharged ? [{ unit: 'video-second', kind: job.size, count: job.seconds }] : undefined;
  const base = withoutError(job.row);
  const row: LogRow = {
    ...base,
    modelId: job.modelId,
    providerId: job.providerId,
    externalId: job.externalId,
    ...(job.priceVersion !== undefined && { priceVersion: job.priceVersion }),
    finishReason: ending.finish ?? FINISH[status],
    status: ending.httpStatus ?? 200,
    ...(error && { errorCode: error.code, errorMessage: error.message }),
    estimated,
    customer: customer.toString(),
    provider: provider.toString(),
    attempts: [
      {
        providerId: job.providerId,
        externalId: job.externalId,
        outcome: isCompleted ? 'answered' : status,
        durationMs: Math.max(0, now - job.createdAt),
        ...(isTheirs
          ? { credential: 'own' as const }
          : job.credential !== undefined && { credential: job.credential }),
      },
    ],
    durationMs: Math.max(0, now - base.startedAt),
    ...(job.upstreamId !== undefined && { upstreamId: job.upstreamId }),
    ...(units && { units }),
  };
  return {
    requestId: job.requestId,
    customer,
    provider,
    estimated,
    ...(isUnreached && { unreached: true }),
    ...(!job.premium && { standard: true }),
    row,
  };
}

/** The row of an open job has the error that the gateway stopped, which it did not. */
export function withoutError(row: LogRow): LogRow {
  const clean = { ...row };
  delete clean.errorCode;
  delete clean.errorMessage;
  return clean;
}
