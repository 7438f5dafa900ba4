import type { Clock, PicoUsd } from '#base';
import type { GatewayError } from '#errors';
import { Admission } from './admission.ts';
import type { Backlog } from './backlog.ts';
import { retryGrowth } from './retry-growth.ts';
import type { GrowRequest, Hold, HoldRequest, LeaveSignal, Settlement } from './ledger.ts';
import type { LedgerStore } from './ledger-store.ts';
import { createRefusal } from './refusal.ts';
import { ReleaseWaits } from './release-waits.ts';
import { StepWriter } from './step-writer.ts';
import { isStoreDown, withDeadline } from './store-fault.ts';
import { type Subject, nameOf, toSubject } from './subject.ts';
import { type MeterFigures, type OwnedSettlement, encodeSettlement } from './store-codec.ts';

interface HeldRequestsOptions {
  store: LedgerStore;
  backlog: Backlog;
  clock: Clock;
  /** How long a request may be queued for money that open holds reserve. */
  admissionWaitMs: number;
  /** How long a request waits for the database. */
  storeLimitMs: number;
  /** How long the caller of a settlement waits; absent: no limit. */
  settleLimitMs: number | undefined;
  /** A request waits for this money. */
  onBlocked(name: string): void;
  /** A request was refused whose hold may exist, or may yet. */
  onUncertain(requestId: string): void;
  /** A settlement is written. */
  onWritten(owned: OwnedSettlement): void;
}

/** Requests that take holds of their own in the database, and wait there for money that others hold. */
export class HeldRequests {
  readonly #options: HeldRequestsOptions;
  readonly #steps: StepWriter;
  readonly #admission: Admission;
  readonly #growing = new ReleaseWaits();
  readonly #requests = new Map<string, HoldRequest>();
  readonly #settling = new Map<string, Promise<void>>();

  constructor(options: HeldRequestsOptions) {
    const { admissionWaitMs, onBlocked, onUncertain, onWritten } = options;
    this.#options = options;
    this.#steps = new StepWriter({
      ...options,
      onTried: ({ request }, { status }, isLate) => {
        if (isLate) onUncertain(request.requestId);
        else if (status === 'ok') this.#requests.set(request.requestId, request);
      },
      onUncertain: ({ request }) => onUncertain(request.requestId),
      onSettled: onWritten,
    });
    this.#admission = new Admission({
      waitMs: admissionWaitMs,
      tryReserve: (attempt) => this.#steps.reserve(attempt),
      explain: (meter, { caller, amount, leastAmount = amount }) =>
        this.#explain(meter, leastAmount, toSubject(caller)),
      onBlocked,
    });
  }

  reserve(request: HoldRequest, signal?: LeaveSignal): Promise<Hold> {
    return this.#admission.reserve(request, signal);
  }

  /** `subject`: whose money it waits for; absent: it waits for none. */
  grow(request: GrowRequest, subject: Subject | undefined): Promise<PicoUsd> {
    const { store, clock, storeLimitMs, onBlocked } = this.#options;
    return retryGrowth(request, {
      clock,
      explain: (meter, missing) => this.#explain(meter, missing, subject),
      tryGrow: (one) => withDeadline(store.grow(one), storeLimitMs),
      awaitRelease: async (meter, mostMs) => {
        if (!subject) return false;
        const name = nameOf(subject, meter);
        onBlocked(name);
        return await this.#growing.wait(name, mostMs);
      },
    });
  }

  /** In the database, or in the journal while it is unavailable. The first settlement of a request counts, also where it failed. */
  settle(settlement: Settlement): Promise<void> {
    const { requestId } = settlement;
    const { backlog } = this.#options;
    const pending = this.#settling.get(requestId);
    if (pending !== undefined) return pending;
    if (backlog.isSafe(requestId)) return Promise.resolve();
    const writing = this.#write(this.#own(backlog.find(requestId) ?? settlement));
    this.#settling.set(requestId, writing);
    return writing;
  }

  async #write(owned: OwnedSettlement): Promise<void> {
    try {
      await this.#steps.settle(owned);
    } catch (error) {
      if (!isStoreDown(error) || !(await this.#options.backlog.keep(owned))) throw error;
    } finally {
      this.#settling.delete(owned.settlement.requestId);
    }
  }

  /** Writes a settlement that could not be written at first. */
  async retry(settlement: Settlement): Promise<void> {
    const owned = this.#own(settlement);
    await this.#steps.settleEncoded(encodeSettlement(owned));
    this.#options.onWritten(owned);
  }

  /** Settles what was encoded before, perhaps by another process. */
  settleEncoded(encoded: object): Promise<void> {
    return this.#steps.settleEncoded(encoded);
  }

  /** A request that is not yet written. */
  findRequest(requestId: string): HoldRequest | undefined {
    return this.#requests.get(requestId);
  }

  /** It is written, or another owner has its hold. */
  forget(requestId: string): void {
    this.#requests.delete(requestId);
  }

  /** Whether any request waits for money. */
  get isAwaited(): boolean {
    return this.#admission.isAwaited || this.#growing.isAwaited;
  }

  /** Money is released: requests that wait for it are tried again. */
  wake(names: readonly string[]): void {
    this.#admission.wake(names);
    this.#growing.wake(names);
  }

  stopWaiting(): void {
    this.#admission.stopWaiting();
    this.#growing.stop();
  }

  drain(): Promise<void> {
    return this.#steps.drain();
  }

  /** A refusal without the name of the period is better than none, so a failed query is ignored. */
  async #explain(meter: MeterFigures, missing: PicoUsd, subject: Subject | undefined): Promise<GatewayError> {
    const { store, clock, storeLimitMs } = this.#options;
    const period = subject && store.findPeriod(meter.kind, subject);
    return createRefusal(meter, {
      missing,
      period: period && (await withDeadline(period, storeLimitMs).catch(() => undefined)),
      nowMs: clock.now(),
    });
  }

  #own(settlement: Settlement): OwnedSettlement {
    const request = this.#requests.get(settlement.requestId);
    const subject = request ? toSubject(request.caller, request.premium) : toSubject(settlement.row);
    return { settlement, subject };
  }
}
