import type { RandomSource, Clock } from '#base';
import { Slots, jitter } from '#base';
import { signWebhook } from './sign-webhook.ts';

/** An event to deliver. */
export interface PendingEvent {
  id: string;
  createdAt: number;
  /** The number of attempts. */
  attempts: number;
}

/** Where events wait. */
export interface EventQueue<Event extends PendingEvent> {
  /** Claims events that are due, each for a while. */
  claim(most: number, leaseMs: number): Promise<Event[]>;
  recordDelivered(id: string): Promise<void>;
  abandon(id: string): Promise<void>;
  retryIn(id: string, delayMs: number): Promise<void>;
}

/** What is sent for an event, and where. */
export interface WebhookMessage {
  url: string;
  /** Signs the message. */
  secret: string;
  body: string;
}

interface DelivererPorts<Event extends PendingEvent> {
  events: EventQueue<Event>;
  clock: Clock;
  random: RandomSource;
  compose(event: Event): Promise<WebhookMessage> | WebhookMessage;
  /** Posts a body; returns the status, or undefined without an answer. Does not follow redirects. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number | undefined>;
  /** Called for each event that is not retried any more. */
  onAbandoned?(event: Event): void;
}

const AT_ONCE = 8;
const LEASE_MS = 60_000;
/** Delays between attempts; the last one repeats until a day has passed. */
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
const GONE = 410;

/** Sends events as webhooks; each is retried until accepted or for a day. */
export class Deliverer<Event extends PendingEvent> {
  readonly #ports: DelivererPorts<Event>;
  readonly #slots = new Slots(AT_ONCE);

  constructor(ports: DelivererPorts<Event>) {
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

  async #deliver(event: Event): Promise<void> {
    const { events, clock, random, onAbandoned } = this.#ports;
    const status = await this.#post(event);
    if (status !== undefined && status >= 200 && status < 300) await events.recordDelivered(event.id);
    else if (status === GONE || clock.now() - event.createdAt >= GIVEN_UP_AFTER_MS) {
      await events.abandon(event.id);
      onAbandoned?.(event);
    } else {
      const delayMs = DELAYS_MS[Math.min(event.attempts, DELAYS_MS.length) - 1] ?? DELAYS_MS[0] ?? 0;
      await events.retryIn(event.id, jitter(delayMs, random));
    }
  }

  /** The id is the same for each attempt, so that receivers can deduplicate. */
  async #post(event: Event): Promise<number | undefined> {
    const { compose, clock, post } = this.#ports;
    const { url, secret, body } = await compose(event);
    const signed = signWebhook(secret, { id: event.id, timestamp: Math.floor(clock.now() / 1_000), body });
    return post(url, { 'content-type': 'application/json', ...signed }, body);
  }
}
