import type { Accounts } from '#accounts';
import type { RandomSource, Clock, JsonObject } from '#base';
import type { PremiumRule } from '#catalogue';
import type { NoticeSender } from '#providers';
import type { Database } from '#storage';
import type { Telemetry } from '#telemetry';
import type { ContentRequest } from './content/content-reply.ts';
import type { JobPage, JobTenant } from './jobs/job-store.ts';
import type { VideoJob } from './jobs/video-job.ts';
import type { PlacedOrder, OrderPlacement } from './place-order.ts';
import type { ContentTimeouts, FindProvider, ProviderSource, VideoCredentials } from './video-provider.ts';
import { startRounds } from '#base';
import { GatewayError } from '#errors';
import { Deliverer } from '#webhooks';
import { createContentTokens } from './content/content-token.ts';
import { Readers } from './content/readers.ts';
import { sendStored } from './content/send-stored.ts';
import { StoredContent, findStoredVideo } from './content/stored-content.ts';
import { streamContent } from './content/stream-content.ts';
import { describeVideo } from './describe-video.ts';
import { closeJob } from './close-job.ts';
import { JobStore } from './jobs/job-store.ts';
import { isFinal } from './jobs/video-job.ts';
import { placeOrder } from './place-order.ts';
import { Poller, type PollerPorts } from './poller.ts';
import { createFindProvider, isOwn } from './video-provider.ts';
import { composeMessage } from './webhooks/compose-message.ts';
import { type DeliveryFilter, EventStore, type WebhookDelivery } from './webhooks/event-store.ts';

export interface VideoSettings {
  /** How often each open job is polled; by default as its provider's protocol sets. */
  pollMs?: number;
  /** How long a provider may take for a video. */
  expireMs: number;
  /** How long a content address works without a key. */
  linkMs: number;
}

interface VideosOptions {
  database: Database;
  accounts: Pick<Accounts, 'ledger'>;
  clock: Clock;
  random: RandomSource;
  telemetry: Telemetry;
  /** The installation's secret. */
  secret: Uint8Array;
  notices: NoticeSender;
  /** This process is the only one on the database, so claims of others are released at its start. */
  exclusive: boolean;
  live(): ProviderSource & { premium: PremiumRule; videos: VideoSettings };
  /** The providers an organization reaches with its own keys; absent if it has none. */
  findOwnSource(organizationId: string): Promise<ProviderSource | undefined>;
  credentials: VideoCredentials;
  onFault(error: unknown): void;
}

/** Video jobs: created by a request, processed in the background. */
export interface Videos {
  place(placing: Omit<OrderPlacement, 'premium'>): Promise<PlacedOrder>;
  find(id: string, tenant: JobTenant): Promise<VideoJob | undefined>;
  list(tenant: JobTenant, page: JobPage): Promise<VideoJob[]>;
  /** Cancels an open job, then deletes it; returns whether it existed. */
  delete(id: string, tenant: JobTenant): Promise<boolean>;
  /** A job as its caller sees it. */
  describe(job: VideoJob): JsonObject;
  /** The project for which a token grants a log id; absent if the token is not valid. */
  readToken(token: string, logId: string): JobTenant | undefined;
  findByLog(logId: string, tenant: JobTenant): Promise<VideoJob | undefined>;
  /** The latest messages to webhooks, and what became of them. */
  listDeliveries(filter: DeliveryFilter): Promise<WebhookDelivery[]>;
  /** Sends the content of a completed job. */
  sendContent(job: VideoJob, request: ContentRequest): Promise<void>;
  start(): Promise<void>;
  /** Stops polling and sending events; open work continues in another process, or later. */
  close(): Promise<void>;
}

/** How often the database is checked for due work. */
const LOOK_EVERY_MS = 500;

export function createVideos(options: VideosOptions): Videos {
  const { database, clock, random, telemetry, secret, live } = options;
  const jobs = new JobStore(database);
  const events = new EventStore(database);
  const content = new StoredContent(database);
  const tokens = createContentTokens(secret);
  const readers = new Readers();
  const { ledger } = options.accounts;
  const pollMs = (): number | undefined => live().videos.pollMs;
  const findProvider = createFindProvider(live, options.findOwnSource);
  const ports = { database, ledger, jobs, events, content, clock, random, telemetry, findProvider, pollMs };
  const describe = (job: VideoJob): JsonObject => {
    if (job.status !== 'completed') return describeVideo(job, undefined);
    const { requestId: logId, projectId } = job;
    const expiresAt = Math.floor((clock.now() + live().videos.linkMs) / 1_000);
    const token = tokens.create({ logId, projectId, expiresAt });
    return describeVideo(job, { url: `/v1/videos/logs/${logId}/content?token=${token}`, expiresAt });
  };
  const expireMs = (): number => live().videos.expireMs;
  return {
    place: (placing) =>
      placeOrder(
        { ...ports, expireMs, credentials: options.credentials },
        { ...placing, premium: live().premium },
      ),
    find: (id, tenant) => jobs.find(id, tenant),
    list: (tenant, page) => jobs.list(tenant, page),
    delete: async (id, tenant) => {
      const job = await jobs.find(id, tenant);
      if (!job) return false;
      if (!isFinal(job.status)) await closeJob(ports, job, { status: 'canceled', isCharged: true });
      const isDeleted = await jobs.delete(id, tenant);
      if (isDeleted) await content.delete(id, tenant);
      void dropUpstream(findProvider, job).catch(() => undefined);
      return isDeleted;
    },
    describe,
    readToken: (token, logId) => tokens.read(token, logId, clock.now()),
    findByLog: (logId, tenant) => jobs.findByRequest(logId, tenant),
    listDeliveries: (filter) => events.list(filter),
    sendContent: (job, request) =>
      readers.admit(job.requestId, () =>
        sendContent({ findProvider, content, clock, timeouts: live().timeouts }, job, request),
      ),
    ...createWork(options, { ports, describe }),
  };
}

interface WorkParts {
  ports: PollerPorts;
  describe(job: VideoJob): JsonObject;
}

/** The background work. */
function createWork(options: VideosOptions, { ports, describe }: WorkParts): Pick<Videos, 'start' | 'close'> {
  const { notices, secret, exclusive, onFault } = options;
  const poller = new Poller(ports);
  const deliverer = new Deliverer({
    ...ports,
    compose: async (event) => {
      const job = await ports.jobs.find(event.jobId, event);
      return composeMessage(event, { secret, video: job && describe(job) });
    },
    post: notices.post,
  });
  const everyMs = (): number => Math.min(LOOK_EVERY_MS, ports.pollMs() ?? LOOK_EVERY_MS);
  let running: ReturnType<typeof startRounds>[] = [];
  return {
    start: async () => {
      if (exclusive) await ports.jobs.releaseAll();
      running = [poller, deliverer].map((work) => startRounds({ everyMs, onFault }, () => work.turn()));
    },
    close: async () => {
      const stopped = Promise.all(running.map((round) => round.stop()));
      const closed = notices.close(); // ends deliveries in progress, which are repeated later
      await stopped;
      await Promise.all([poller.settle(), deliverer.settle(), closed]);
    },
  };
}

/** Asks the provider to cancel; best effort. */
async function dropUpstream(findProvider: FindProvider, job: VideoJob): Promise<void> {
  const provider = await findProvider(job);
  if (!provider || job.upstreamId === undefined) return;
  await (isFinal(job.status) ? provider.remove(job.upstreamId) : provider.cancel(job.upstreamId));
}

interface ContentPorts {
  findProvider: FindProvider;
  content: StoredContent;
  clock: Clock;
  timeouts: ContentTimeouts;
}

async function sendContent(ports: ContentPorts, job: VideoJob, request: ContentRequest): Promise<void> {
  const { clock, content, timeouts } = ports;
  const { contentUrl, contentExpiresAt = Infinity, status } = job;
  if (status !== 'completed' || contentUrl === undefined) {
    const why = job.error ? `: ${job.error.message}` : '';
    throw new GatewayError('video_not_ready', `the video has no content; its status is ${status}${why}`);
  }
  if (clock.now() >= contentExpiresAt)
    throw new GatewayError('content_expired', 'this video is no longer stored');
  const video = findStoredVideo(contentUrl);
  if (video) {
    await sendStored(content, { job, video, request, idleMs: timeouts.idleMs });
    return;
  }
  const provider = await ports.findProvider(job);
  if (!provider) throw new GatewayError('upstream_unreachable', describeGone(job));
  await streamContent(provider, { ...job, contentUrl }, { request, timeouts });
}

function describeGone(job: VideoJob): string {
  return isOwn(job)
    ? `the video is read with the organization’s own key for the provider ${job.providerId}, which was removed`
    : 'the provider of this video is no longer configured here';
}
