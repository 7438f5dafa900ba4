import type { Limiter, Pass, RateLimit, Standing } from '#accounts';
import { startDeadline } from '#base';
import { FairQueue } from '#routing';

/** How many requests may wait for a provider, and how long each. */
export interface QueueRules {
  length: number;
  waitMs: number;
}

/** What may be sent with a credential: its own limits and those of its provider. */
export interface Allowance {
  limits: readonly RateLimit[];
  queue: QueueRules;
}

/** What may be entered where. */
interface Way {
  allowance: Allowance;
}

/** A request that wants to call a provider. */
interface Wanted<W extends Way> {
  providerId: string;
  /** Credentials of the provider, in the order of preference. */
  ways: readonly [W, ...W[]];
  /** Among whom the queue is fair. */
  tenant: string;
  tokens: number;
  mayWait: boolean;
  /** Tells when the caller leaves. */
  reply: { onGone(run: () => void): void; offGone(run: () => void): void };
}

/** The way in, or how long until one may open. */
type Entered<W> = { way: W; pass: Pass } | { waitMs: number };

interface Waiting {
  tenant: string;
  /** Tries to enter; returns whether nobody waits any more. */
  tryNow(): Promise<boolean>;
  giveUp(): void;
}

/** Slots become free elsewhere, and windows move on, without a sign. */
const LOOK_EVERY_MS = 100;
/** So many tenants have a turn at once, where each is a round trip. */
const MOST_TURNS = 16;
const LEAST_RETRY_MS = 1_000;

/** What the gateway may send to providers at a time and per minute, and who waits for it. */
export class Capacity {
  readonly #limiter: Pick<Limiter, 'take'>;
  readonly #rooms = new Map<string, Room>();

  constructor(limiter: Pick<Limiter, 'take'>) {
    this.#limiter = limiter;
  }

  /** Requests that wait, by provider. */
  get queued(): [provider: string, requests: number][] {
    return [...this.#rooms].map(([provider, room]) => [provider, room.size]);
  }

  /** Enters by the first way that is open, after those who wait already; the pass is to be ended with the call. */
  async enter<W extends Way>(wanted: Wanted<W>): Promise<Entered<W>> {
    const room = this.#roomOf(wanted.providerId);
    if (room.isEmpty) {
      const found = await this.#try(wanted, room);
      if ('pass' in found || !this.#isWorthWaiting(wanted, found.waitMs)) return found;
    } else if (!wanted.mayWait) return { waitMs: LEAST_RETRY_MS };
    return this.#wait(wanted, room);
  }

  #roomOf(providerId: string): Room {
    let room = this.#rooms.get(providerId);
    if (!room) this.#rooms.set(providerId, (room = new Room()));
    return room;
  }

  #isWorthWaiting<W extends Way>({ mayWait, ways: [{ allowance }] }: Wanted<W>, waitMs: number): boolean {
    return mayWait && waitMs <= allowance.queue.waitMs;
  }

  async #try<W extends Way>({ ways, tokens }: Wanted<W>, room: Room): Promise<Entered<W>> {
    let waitMs = Infinity;
    for (const way of ways) {
      const { pass, standings } = await this.#limiter.take(way.allowance.limits, tokens);
      if (pass) return { way, pass: withWake(pass, room) };
      waitMs = Math.min(waitMs, waitOf(standings));
    }
    return { waitMs };
  }

  #wait<W extends Way>(wanted: Wanted<W>, room: Room): Promise<Entered<W>> {
    const { promise, resolve } = Promise.withResolvers<Entered<W>>();
    const { reply, tenant } = wanted;
    const { length, waitMs: patienceMs } = wanted.ways[0].allowance.queue;
    let isOver = false;
    let waitMs = LEAST_RETRY_MS;
    const finish = (entered: Entered<W>): void => {
      isOver = true;
      deadline.stop();
      reply.offGone(giveUp);
      resolve(entered);
    };
    const giveUp = (): void => {
      if (isOver) return;
      room.remove(waiting);
      finish({ waitMs });
    };
    const tryNow = async (): Promise<boolean> => {
      const found = await this.#try(wanted, room);
      if ('pass' in found) {
        if (isOver) found.pass.end(0);
        else finish(found);
      } else {
        waitMs = found.waitMs;
        if (waitMs > patienceMs) giveUp();
      }
      return isOver;
    };
    const waiting: Waiting = { tenant, tryNow, giveUp };
    const deadline = startDeadline(patienceMs, giveUp);
    reply.onGone(giveUp);
    room.add(waiting, length);
    return promise;
  }
}

/** Where requests wait for one provider. */
class Room {
  readonly #queue = new FairQueue<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #isCalling = false;
  #isCalledAgain = false;

  get size(): number {
    return this.#queue.size;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  add(waiting: Waiting, most: number): void {
    const displaced = this.#queue.add(waiting.tenant, waiting, most);
    displaced?.giveUp();
    if (this.isEmpty) return;
    this.#timer ??= setInterval(() => this.wake(), LOOK_EVERY_MS).unref();
    this.wake();
  }

  remove(waiting: Waiting): void {
    this.#queue.remove(waiting.tenant, waiting);
    if (!this.isEmpty) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A way may have opened: who waits tries in turn. */
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

function withWake(pass: Pass, room: Room): Pass {
  return {
    end: (tokens) => {
      pass.end(tokens);
      room.wake();
    },
  };
}

/** How long until all limits allow it; a slot may become free at any time. */
function waitOf(standings: readonly Standing[]): number {
  return Math.max(0, ...standings.map(({ limit, waitMs }) => (limit.kind === 'concurrency' ? 0 : waitMs)));
}
