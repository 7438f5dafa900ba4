import type { LimitState, Limiter, LimiterSlot, RateLimit } from '#accounts';
import { FairQueue, startDeadline } from '#base';

/** How many requests may wait for a provider, and how long each. */
export interface QueueRules {
  length: number;
  waitMs: number;
}

/** The limits of a credential, and of its provider. */
export interface Allowance {
  limits: readonly RateLimit[];
  queue: QueueRules;
}

/** A credential with limits. */
interface Limited {
  allowance: Allowance;
}

/** A request that wants to call a provider. */
interface CapacityRequest<L extends Limited> {
  providerId: string;
  /** Credentials of the provider, in the order of preference. */
  credentials: readonly [L, ...L[]];
  /** Whether a credential may be called now; those that may come before the others. */
  isOpen?(credential: L): boolean;
  /** The tenants among which the queue is fair. */
  tenant: string;
  tokens: number;
  mayWait: boolean;
  /** Aborts when the caller disconnects. */
  reply: { onGone(run: () => void): void; offGone(run: () => void): void };
}

/** The slot for the call, or how long until one may be free. */
type Entered<L> = { credential: L; slot: LimiterSlot } | { waitMs: number };

interface QueuedRequest {
  tenant: string;
  /** Tries to enter; returns whether it no longer waits. */
  tryNow(): Promise<boolean>;
  giveUp(): void;
}

/** Other processes free slots, and windows move on, without a notification. */
const LOOK_EVERY_MS = 100;
/** How many tenants have a turn at once, where each is a round trip. */
const MOST_TURNS = 16;
const LEAST_RETRY_MS = 1_000;

/** The gateway's limits on calls of providers, at a time and per minute, and the requests that wait for them. */
export class Capacity {
  readonly #limiter: Pick<Limiter, 'take'>;
  readonly #queues = new Map<string, ProviderQueue>();

  constructor(limiter: Pick<Limiter, 'take'>) {
    this.#limiter = limiter;
  }

  /** Requests that wait, by provider. */
  get queued(): [provider: string, requests: number][] {
    return [...this.#queues].map(([provider, queue]) => [provider, queue.size]);
  }

  /** Enters with the first credential below its limits, after requests that wait already; the slot is to be ended with the call. */
  async enter<L extends Limited>(wanted: CapacityRequest<L>): Promise<Entered<L>> {
    const queue = this.#queueOf(wanted.providerId);
    if (queue.isEmpty) {
      const found = await this.#try(wanted, queue);
      if ('slot' in found || !this.#isWorthWaiting(wanted, found.waitMs)) return found;
    } else if (!wanted.mayWait) return { waitMs: LEAST_RETRY_MS };
    return this.#wait(wanted, queue);
  }

  #queueOf(providerId: string): ProviderQueue {
    let queue = this.#queues.get(providerId);
    if (!queue) this.#queues.set(providerId, (queue = new ProviderQueue()));
    return queue;
  }

  #isWorthWaiting<L extends Limited>(
    { mayWait, credentials: [{ allowance }] }: CapacityRequest<L>,
    waitMs: number,
  ): boolean {
    return mayWait && waitMs <= allowance.queue.waitMs;
  }

  async #try<L extends Limited>(
    { credentials, isOpen = () => true, tokens }: CapacityRequest<L>,
    queue: ProviderQueue,
  ): Promise<Entered<L>> {
    let waitMs = Infinity;
    const open = credentials.filter((one) => isOpen(one));
    for (const credential of open.length > 0 ? open : credentials) {
      const { slot, states } = await this.#limiter.take(credential.allowance.limits, tokens);
      if (slot) return { credential, slot: withWake(slot, queue) };
      waitMs = Math.min(waitMs, waitOf(states));
    }
    return { waitMs };
  }

  #wait<L extends Limited>(wanted: CapacityRequest<L>, queue: ProviderQueue): Promise<Entered<L>> {
    const { promise, resolve } = Promise.withResolvers<Entered<L>>();
    const { reply, tenant } = wanted;
    const { length, waitMs: patienceMs } = wanted.credentials[0].allowance.queue;
    let isOver = false;
    let waitMs = LEAST_RETRY_MS;
    const finish = (entered: Entered<L>): void => {
      isOver = true;
      deadline.stop();
      reply.offGone(giveUp);
      resolve(entered);
    };
    const giveUp = (): void => {
      if (isOver) return;
      queue.remove(waiting);
      finish({ waitMs });
    };
    const tryNow = async (): Promise<boolean> => {
      const found = await this.#try(wanted, queue);
      if ('slot' in found) {
        if (isOver) found.slot.end(0);
        else finish(found);
      } else {
        waitMs = found.waitMs;
        if (waitMs > patienceMs) giveUp();
      }
      return isOver;
    };
    const waiting: QueuedRequest = { tenant, tryNow, giveUp };
    const deadline = startDeadline(patienceMs, giveUp);
    queue.add(waiting, length);
    reply.onGone(giveUp); // at once if the caller disconnected meanwhile
    return promise;
  }
}

/** Where requests wait for one provider. */
class ProviderQueue {
  readonly #queue = new FairQueue<QueuedRequest>();
  #timer: NodeJS.Timeout | undefined;
  #isCalling = false;
  #isCalledAgain = false;

  get size(): number {
    return this.#queue.size;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  add(waiting: QueuedRequest, most: number): void {
    const displaced = this.#queue.add(waiting.tenant, waiting, most);
    displaced?.giveUp();
    if (this.isEmpty) return;
    this.#timer ??= setInterval(() => this.wake(), LOOK_EVERY_MS).unref();
    this.wake();
  }

  remove(waiting: QueuedRequest): void {
    this.#queue.remove(waiting.tenant, waiting);
    if (!this.isEmpty) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A slot may be free: waiting requests try in turn. */
  wake(): void {
    this.#isCalledAgain = true;
    if (this.#isCalling || this.isEmpty) return;
    this.#isCalling = true;
    void this.#callAll();
  }

  async #callAll(): Promise<void> {
    while (this.#isCalledAgain) {
      this.#isCalledAgain = false;
      for (const waiting of this.#queue.heads.slice(0, MOST_TURNS)) {
        if (!(await waiting.tryNow())) continue;
        this.#queue.take(waiting.tenant, waiting);
        this.remove(waiting);
        this.#isCalledAgain = true;
        break;
      }
    }
    this.#isCalling = false;
  }
}

function withWake(slot: LimiterSlot, queue: ProviderQueue): LimiterSlot {
  return {
    end: (tokens) => {
      slot.end(tokens);
      queue.wake();
    },
  };
}

/** How long until all limits allow it; a slot may become free at any time. */
function waitOf(states: readonly LimitState[]): number {
  return Math.max(0, ...states.map(({ limit, waitMs }) => (limit.kind === 'concurrency' ? 0 : waitMs)));
}
