import type { Chance, Clock, JsonObject } from '#base';
import type { EventStore, VideoEvent } from './event-store.ts';
import { jitter } from '../jitter.ts';
import { Slots } from '../slots.ts';
import { deriveWebhookSecret, signWebhook } from './sign-webhook.ts';

interface DelivererPorts {
  events: EventStore;
  clock: Clock;
  chance: Chance;
  /** The installation's secret. */
  secret: Uint8Array;
  /** The video an event is about, as its project sees it; absent where it was deleted. */
  describe(event: VideoEvent): Promise<JsonObject | undefined>;
  /** Posts a body; gives the status, or nothing where no answer came. Follows no redirect. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number | undefined>;
}

const AT_ONCE = 8;
const LEASE_MS = 60_000;
/** Between tries; the last one is repeated until a day has passed. */
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
const GONE = 410;

/** Tells projects what became of their videos, each event until it is taken or a day has passed. */
export class Deliverer {
  readonly #ports: DelivererPorts;
  readonly #slots = new Slots(AT_ONCE);

  constructor(ports: DelivererPorts) {
    this.#ports = ports;
  }

  /** Begins with events that are due; gives how many there were. Throws what an earlier one came to. */
  async turn(): Promise<number> {
    const room = await this.#slots.findRoom();
    const events = await this.#ports.events.claim(room, LEASE_MS);
    for (const event of events) this.#slots.begin(() => this.#deliver(event));
    return events.length;
  }

  /** Resolves when nothing is being told. */
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

  /** The same id each time, so that a receiver knows what it has had already. */
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
