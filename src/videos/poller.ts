import type { RandomSource } from '#base';
import type { UpstreamFailure } from '#errors';
import type { ClosingPorts, JobEnding } from './close-job.ts';
import type { StoredContent } from './content/stored-content.ts';
import type { VideoError, VideoJob } from './jobs/video-job.ts';
import type { VideoProgress } from './protocol.ts';
import type { FindProvider, VideoProvider } from './video-provider.ts';
import { closeJob } from './close-job.ts';
import { Slots, jitter } from '#base';
import { GatewayError } from '#errors';
import { isOwn } from './video-provider.ts';

export interface PollerPorts extends ClosingPorts {
  random: RandomSource;
  content: StoredContent;
  findProvider: FindProvider;
  /** How often each job is polled; by default as its provider's protocol sets. */
  pollMs(): number | undefined;
}

const AT_ONCE = 16;
/** Longer than a provider may take to answer, so that only jobs of crashed processes are taken over. */
const LEASE_MS = 45_000;
const LONGEST_BACKOFF_MS = 300_000;
/** How often expired videos are deleted. */
const PURGE_EVERY_MS = 60_000;
const USUAL_POLL_MS = 5_000;
/** A job counts as lost after this many "unknown" answers in a row. */
const BELIEVED_AFTER = 3;

/** Polls the providers of open jobs. Several processes may do so: each job is polled by one at a time. */
export class Poller {
  readonly #ports: PollerPorts;
  readonly #slots = new Slots(AT_ONCE);
  #purgedAt = -Infinity;

  constructor(ports: PollerPorts) {
    this.#ports = ports;
  }

  /**
   * Starts polling due jobs; returns how many. Throws the error of an earlier poll, whose claim expires by itself.
   */
  async turn(): Promise<number> {
    await this.#purge();
    const room = await this.#slots.findRoom();
    const jobs = await this.#ports.jobs.claim(room, LEASE_MS);
    for (const job of jobs) this.#slots.begin(() => this.#advance(job));
    return jobs.length;
  }

  /** Resolves when no poll is in progress. */
  settle(): Promise<void> {
    return this.#slots.settle();
  }

  async #purge(): Promise<void> {
    const now = this.#ports.clock.now();
    if (now - this.#purgedAt < PURGE_EVERY_MS) return;
    this.#purgedAt = now;
    await this.#ports.content.purge(now);
  }

  async #advance(job: VideoJob): Promise<void> {
    if (job.upstreamId === undefined) {
      await this.#end(job, 'failed', {
        code: 'order_lost',
        message: 'the gateway stopped before the provider had confirmed the order',
      });
      return;
    }
    const provider = await this.#findProvider(job);
    if (provider && provider !== 'locked') await this.#ask(job, provider, job.upstreamId);
    else if (this.#isOverdue(job)) await this.#expire(job);
    else if (!provider && isOwn(job)) await this.#end(job, 'failed', createKeyGone(job));
    else await this.#backOff(job, USUAL_POLL_MS);
  }

  /** `locked`: the organization's own key cannot be decrypted until that is repaired. */
  async #findProvider(job: VideoJob): Promise<VideoProvider | 'locked' | undefined> {
    try {
      return await this.#ports.findProvider(job);
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code === 'credential_unreadable') return 'locked';
      throw thrown;
    }
  }

  async #ask(job: VideoJob, provider: VideoProvider, upstreamId: string): Promise<void> {
    const polled = await provider.poll(upstreamId);
    const isOver = !('failure' in polled) && ['completed', 'failed'].includes(polled.status);
    // One that is over may have been finished in time, while no gateway was running.
    if (!isOver && this.#isOverdue(job)) {
      await this.#expire(job);
      await provider.cancel(upstreamId).catch(() => undefined);
    } else if ('failure' in polled) await this.#retryLater(job, provider, polled.failure);
    else if (polled.status === 'completed') {
      await closeJob(this.#ports, job, toEnding(polled));
    } else if (polled.status === 'failed') {
      await closeJob(this.#ports, job, { status: 'failed', error: polled.error });
    } else {
      const progress = Math.min(99, Math.max(0, Math.floor(polled.progress ?? 0)));
      const status = job.status === 'queued' ? polled.status : job.status;
      await this.#ports.jobs.release(job.id, {
        status,
        progress,
        failures: 0,
        pollInMs: this.#pollIn(provider.pollMs),
      });
    }
  }

  #isOverdue({ deadline }: VideoJob): boolean {
    return this.#ports.clock.now() >= deadline;
  }

  #expire(job: VideoJob): Promise<void> {
    const message = 'the provider did not finish the video in time';
    return this.#end(job, 'expired', { code: 'video_expired', message });
  }

  async #retryLater(job: VideoJob, provider: VideoProvider, failure: UpstreamFailure): Promise<void> {
    const isUnknown = failure.kind === 'request-refused' && job.failures + 1 >= BELIEVED_AFTER;
    if (isUnknown) await this.#end(job, 'failed', { code: 'video_lost', message: failure.message });
    else await this.#backOff(job, provider.pollMs);
  }

  async #backOff(job: VideoJob, pollMs: number): Promise<void> {
    const longer = Math.min(LONGEST_BACKOFF_MS, this.#pollIn(pollMs) * 2 ** Math.min(job.failures + 1, 10));
    const { status, progress } = job;
    await this.#ports.jobs.release(job.id, {
      status,
      progress,
      failures: job.failures + 1,
      pollInMs: longer,
    });
  }

  /** Ends a job without an answer of the provider, which may still charge for it. */
  async #end(job: VideoJob, status: 'failed' | 'expired', error: VideoError): Promise<void> {
    await closeJob(this.#ports, job, { status, error, isCharged: true });
  }

  #pollIn(pollMs: number): number {
    return jitter(this.#ports.pollMs() ?? pollMs, this.#ports.random);
  }
}

function createKeyGone({ providerId }: VideoJob): VideoError {
  return {
    code: 'own_key_removed',
    message: `the organization’s own key for the provider ${providerId} was removed before the video was finished`,
  };
}

function toEnding(done: VideoProgress & { status: 'completed' }): JobEnding {
  const { status } = done;
  if ('inline' in done) return { status, inline: done.inline };
  const { contentUrl, expiresAt } = done;
  return { status, contentUrl, ...(expiresAt !== undefined && { contentExpiresAt: expiresAt }) };
}
