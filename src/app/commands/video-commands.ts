import type { VideoJob, VideoStatus } from '#videos';
import type { Stores } from '../lifecycle/stores/stores.ts';
import { type PicoUsd, systemClock } from '#base';
import { createTelemetry } from '#telemetry';
import { EventStore, JobStore, closeJob, deriveWebhookSecret, isFinal } from '#videos';
import { createCommandLog } from './command-log.ts';

/** A video job as the command line prints it. */
export interface VideoSummary {
  id: string;
  requestId: string;
  projectId: string;
  status: VideoStatus;
  progress: number;
  model: string;
  provider: string;
  seconds: number;
  size: string;
  /** What its customer pays, or what is held for it. */
  cost: PicoUsd;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
  error?: string;
}

export async function listVideos(
  { database }: Stores,
  filter: { limit: number; openOnly: boolean },
): Promise<VideoSummary[]> {
  const jobs = await new JobStore(database).listAsOperator(filter);
  return jobs.map((job) => ({
    id: job.id,
    requestId: job.requestId,
    projectId: job.projectId,
    status: job.status,
    progress: job.progress,
    model: job.modelId,
    provider: job.providerId,
    seconds: job.seconds,
    size: job.size,
    cost: isPaid(job) ? job.cost : 0n,
    createdAt: job.createdAt,
    ...(job.error && { error: job.error.message }),
  }));
}

/** Whether a customer pays for a job; with its own key, an organization pays the provider. */
function isPaid({ status, row }: VideoJob): boolean {
  return (status === 'completed' || !isFinal(status)) && row.credential !== 'own';
}

/** Cancels an open job; returns its new status, or undefined if there is no such job. */
export async function cancelVideo(
  { database, accounts }: Stores,
  id: string,
): Promise<VideoStatus | undefined> {
  const jobs = new JobStore(database);
  const job = await jobs.findAsOperator(id);
  if (!job) return undefined;
  const ports = {
    database,
    jobs,
    ledger: accounts.ledger,
    events: new EventStore(database),
    clock: systemClock,
    telemetry: createTelemetry(createCommandLog()),
  };
  await closeJob(ports, job, { status: 'canceled', isCharged: true });
  return (await jobs.findAsOperator(id))?.status;
}

/** Sets the webhook of a project; returns the secret its messages are signed with. */
export async function setVideoWebhook(
  { database, secret }: Stores,
  { projectId, url, rotate }: { projectId: string; url: string; rotate: boolean },
): Promise<string> {
  const events = new EventStore(database);
  await events.setWebhook(projectId, url, rotate);
  const webhook = await events.findWebhook(projectId);
  return deriveWebhookSecret(secret, projectId, webhook?.secretVersion ?? 1);
}

export async function removeVideoWebhook({ database }: Stores, projectId: string): Promise<boolean> {
  return new EventStore(database).removeWebhook(projectId);
}
