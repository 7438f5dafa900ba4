import { type Clock, type PicoUsd, startDeadline } from '#base';
import { GatewayError } from '#errors';
import type { RepeatTerms } from '../store/batcher.ts';
import { explainNoHold } from './explain-refusal.ts';
import type { Hold, HoldRequest, LeaveSignal } from '../ledger.ts';
import type { LedgerStore } from '../store/ledger-store.ts';
import { nameOf, namesOf, toSubject } from '../../meters/subject.ts';
import type { ReserveOutcome, ReserveTry } from '../store/store-codec.ts';
import { createShutdown } from '../store/store-fault.ts';

/** A request for a hold. */
interface Arrival {
  request: HoldRequest;
  /** Position in the order of arrival. */
  ticket: number;
  signal: LeaveSignal | undefined;
}

/** A request that did not get its hold at once, until it is admitted or refused. */
interface Waiter extends Arrival {
  /** The queue it is in. */
  queue?: string;
  trying: boolean;
  /** It has waited long enough, or its client disconnected: the next answer is final. */
  expired: boolean;
  abandoned: boolean;
  resolve(hold: Hold | Promise<never>): void;
  reject(error: unknown): void;
  /** Set once it is queued, which is rare. */
  stopWaiting?(): void;
}

interface AdmissionOptions {
  store: Pick<LedgerStore, 'reserve' | 'findPeriod' | 'findSilent'>;
  clock: Clock;
  /** How long a request may be queued for money that open holds reserve. */
  admissionWaitMs: number;
  /** How long a request waits for the database. */
  storeLimitMs: number;
  /** A request has its hold, and its caller has not timed out. */
  onHeld(request: HoldRequest): void;
  /** Called for a refused request whose hold may exist, or may still be created. */
  onUncertain(requestId: string): void;
  /** A request waits for this money. */
  onBlocked(name: string): void;
}

/** Other processes settle too; the released money is noticed within this time. */
const POLL_MS = 100;
/** How many waiters of a queue are tried at once; the rest follows if all of them are admitted. */
const TRIED_AT_ONCE = 8;

/**
 * Worst-case holds reserve more than requests cost. A request refused only because of open holds waits in the queue
 * of the short meter, first come first served, and is retried whenever money is released.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #terms: RepeatTerms<ReserveTry, ReserveOutcome>;
  readonly #queues = new Map<string, Waiter[]>();
  readonly #busy = new Map<string, { again: boolean }>();
  #arrivals = 0;
  #poll: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: AdmissionOptions) {
    const { clock, storeLimitMs, onHeld } = options;
    const onUncertain = ({ request }: ReserveTry): void => options.onUncertain(request.requestId);
    const onAnswer = (attempt: ReserveTry, { status }: ReserveOutcome, isLate: boolean): void => {
      if (isLate) onUncertain(attempt);
      else if (status === 'ok') onHeld(attempt.request);
    };
    this.#options = options;
    this.#terms = { clock, limitMs: storeLimitMs, onAnswer, onUncertain };
  }

  async reserve(request: HoldRequest, signal?: LeaveSignal): Promise<Hold> {
    if (typeof signal === 'object' && signal.aborted) throw createAbandoned();
    const arrival: Arrival = { request, ticket: (this.#arrivals += 1), signal };
    const final = this.#options.admissionWaitMs <= 0;
    const queue = this.#findQueue(request);
    if (queue !== undefined) {
      const { waiter, hold } = createWaiter(arrival, final);
      this.#wait(waiter, queue);
      return hold;
    }
    const outcome = await this.#options.store.reserve({ request, final }, this.#terms);
    if (outcome.status === 'ok') return toHold(request, outcome);
    const { waiter, hold } = createWaiter(arrival, final);
    this.#apply(waiter, outcome, final);
    return hold;
  }

  /** Whether any request waits. */
  get isAwaited(): boolean {
    return this.#queues.size > 0;
  }

  /** Called when money of these names is released. */
  wake(queues: readonly string[]): void {
    for (const queue of queues) if (this.#queues.has(queue)) void this.#serve(queue);
  }

  /** The queue that a request must not overtake. */
  #findQueue({ caller, premium = false }: HoldRequest): string | undefined {
    if (this.#queues.size === 0) return undefined;
    return namesOf({ ...caller, premium }).find((name) => this.#queues.has(name));
  }

  /** A waiter being tried at this moment may still get a hold; otherwise it is refused afterwards. */
  stopWaiting(): void {
    this.#isStopping = true;
    for (const waiter of [...this.#queues.values()].flat()) if (!waiter.trying) this.#dismiss(waiter);
  }

  #dismiss(waiter: Waiter): void {
    this.#finish(waiter, () => waiter.reject(createShutdown('this gateway is shutting down; retry')));
  }

  #startWaiting(waiter: Waiter): void {
    const stop = (abandoned: boolean): void => {
      waiter.expired = true;
      waiter.abandoned ||= abandoned;
      if (!waiter.trying) this.#conclude(waiter);
    };
    const abandon = (): void => stop(true);
    const deadline = startDeadline(this.#options.admissionWaitMs, () => stop(false));
    const signal = typeof waiter.signal === 'function' ? waiter.signal() : waiter.signal;
    signal?.addEventListener('abort', abandon, { once: true });
    waiter.stopWaiting = () => {
      deadline.stop();
      signal?.removeEventListener('abort', abandon);
    };
    if (signal?.aborted === true) waiter.expired = waiter.abandoned = true;
  }

  /** One attempt. Handles its outcome, except that a blocked waiter stays queued. */
  async #try(waiter: Waiter): Promise<void> {
    const final = waiter.expired;
    waiter.trying = true;
    try {
      const outcome = await this.#options.store.reserve({ request: waiter.request, final }, this.#terms);
      waiter.trying = false;
      this.#apply(waiter, outcome, final);
    } catch (error) {
      this.#finish(waiter, () => waiter.reject(error));
    }
  }

  #apply(waiter: Waiter, outcome: ReserveOutcome, final: boolean): void {
    const { request } = waiter;
    const { caller, amount, leastAmount = amount } = request;
    if (outcome.status === 'ok') {
      this.#finish(waiter, () => waiter.resolve(toHold(request, outcome)));
      return;
    }
    if (outcome.status === 'closed') {
      const error = new GatewayError('internal_error', 'internal error', {
        detail: 'a hold was requested for a settled request',
      });
      this.#finish(waiter, () => waiter.reject(error));
      return;
    }
    if (outcome.status === 'refused' || (final && !waiter.abandoned)) {
      this.#finish(waiter, () =>
        waiter.resolve(
          explainNoHold(this.#options, outcome, {
            missing: leastAmount,
            subject: toSubject(caller),
          }).then((refusal) => {
            throw refusal;
          }),
        ),
      );
      return;
    }
    const name = nameOf(caller, outcome.kind);
    this.#options.onBlocked(name);
    this.#wait(waiter, name);
  }

  #wait(waiter: Waiter, meter: string): void {
    if (this.#isStopping) {
      this.#dismiss(waiter);
      return;
    }
    this.#enqueue(waiter, meter);
    if (waiter.expired) this.#conclude(waiter);
  }

  /**
   * Ends the waiting: a waiter whose client disconnected is dropped, one that waited long enough gets a last attempt
   * past the queue.
   */
  #conclude(waiter: Waiter): void {
    if (waiter.abandoned) this.#finish(waiter, () => waiter.reject(createAbandoned()));
    else void this.#try(waiter);
  }

  #finish(waiter: Waiter, answer: () => void): void {
    waiter.stopWaiting?.();
    const { queue } = waiter;
    const wasFirst = queue !== undefined && this.#queues.get(queue)?.[0] === waiter;
    this.#leave(waiter);
    answer();
    if (wasFirst && !this.#isStopping) this.wake([queue]); // later waiters may fit where this one did not
  }

  #enqueue(waiter: Waiter, meter: string): void {
    if (waiter.queue === meter) return;
    this.#leave(waiter);
    waiter.queue = meter;
    const queue = this.#queues.get(meter) ?? [];
    const behind = queue.findLastIndex((other) => other.ticket < waiter.ticket) + 1;
    queue.splice(behind, 0, waiter);
    this.#queues.set(meter, queue);
    this.#poll ??= setInterval(() => this.wake([...this.#queues.keys()]), POLL_MS);
    if (!waiter.stopWaiting) this.#startWaiting(waiter);
  }

  #leave(waiter: Waiter): void {
    if (waiter.queue === undefined) return;
    const queue = this.#queues.get(waiter.queue) ?? [];
    const at = queue.indexOf(waiter);
    if (at !== -1) queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(waiter.queue);
    if (this.#queues.size === 0) {
      clearInterval(this.#poll);
      this.#poll = undefined;
    }
  }

  /** Tries the head of a queue; once more if money was released meanwhile or its first left the queue. */
  async #serve(meter: string): Promise<void> {
    const busy = this.#busy.get(meter);
    if (busy !== undefined) {
      busy.again = true;
      return;
    }
    const round = { again: true };
    this.#busy.set(meter, round);
    while (round.again) {
      const head = (this.#queues.get(meter) ?? []).filter((waiter) => !waiter.trying).slice(0, TRIED_AT_ONCE);
      round.again = false;
      await Promise.all(head.map((waiter) => this.#try(waiter)));
    }
    this.#busy.delete(meter);
  }
}

/** The state of a request that does not get its hold at once; nearly all do. */
function createWaiter(arrival: Arrival, expired: boolean): { waiter: Waiter; hold: Promise<Hold> } {
  const { promise: hold, resolve, reject } = Promise.withResolvers<Hold>();
  return { waiter: { ...arrival, trying: false, expired, abandoned: false, resolve, reject }, hold };
}

function toHold({ requestId }: HoldRequest, { amount }: { amount: PicoUsd }): Hold {
  return { requestId, amount };
}

function createAbandoned(): GatewayError {
  return new GatewayError('client_closed', 'the client disconnected before the request was admitted');
}
