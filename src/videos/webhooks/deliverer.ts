import type { Chance, Clock, JsonObject } from '#base';
import type { EventStore, VideoEvent } from './event-store.ts';
import { jitter } from '#base';
import { Slots } from '../slots.ts';
import { deriveWebhookSecret, signWebhook } from './sign-webhook.ts';

interface DelivererPorts {
  events: EventStore;
  clock: Clock;
  chance: Chance;
  /** The installation's secret. */
  secret: Uint8Array;
  /** The video of an event, as its project sees it; absent if it was deleted. */
  describe(event: VideoEvent): Promise<JsonObject | undefined>;
  /** Posts a body; returns the status, or undefined without an answer. Does not follow redirects. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number | undefined>;
}

const AT_ONCE = 8;
const LEASE_MS = 60_000;
/** Delays between attempts; the last one repeats until a day has passed. */
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
const GONE = 410;

/** Sends webhooks when videos end; each event is retried until accepted or for a day. */
export class Deliverer {
  readonly #ports: DelivererPorts;
  readonly #slots = new Slots(AT_ONCE);

  constructor(ports: DelivererPorts) {
    this.#ports = ports;
  }

  /** Starts sending due events; returns how many. Throws the error of an earlier one. */
  async turn(): Promise<number> {
    const room = await this.#slots.findRoom();
    const events = await this.#ports.events.claim(room, LEASE_MS);
    for (const event of events) this.#slots.begin(() => this.#deliver(event));
    return events.length;
  }

  /** Resolves when no delivery is in progress. */
  settle(): Promise<void> {
    return this.#slots.settle();
  }

  async #deliver(event: VideoEvent): Promise<void> {
    const { events, clock, chance } = this.#ports;
    const status = await this.#post(event);
    if (status !== undefined && status >= 200 && status < 300) await events.noteDelivered(event.id);
    else if (status === GONE || clock.now() - event.createdAt >= GIVEN_UP_AFTER_MS)
      await events.abandon(event.id);
    else {
      const delayMs = DELAYS_MS[Math.min(event.attempts, DELAYS_MS.length) - 1] ?? DELAYS_MS[0] ?? 0;
      await events.retryIn(event.id, jitter(delayMs, chance));
    }
  }

  /** The id is the same for each attempt, so that receivers can deduplicate. */
  async #post(event: VideoEvent): Promise<number | undefined> {
    const { describe, clock, secret, post } = this.#ports;
    const { id, type, webhook } = event;
    const data = (await describe(event)) ?? { id: event.jobId };
    const createdAt = Math.floor(event.createdAt / 1_000);
    const body = JSON.stringify({ id, object: 'event', type, created_at: createdAt, data });
    const key = deriveWebhookSecret(secret, webhook.projectId, webhook.secretVersion);
    const signed = signWebhook(key, { id, timestamp: Math.floor(clock.now() / 1_000), body });
    return post(webhook.url, { 'content-type': 'application/json', ...signed }, body);
  }
}
