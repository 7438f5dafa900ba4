import type { Clock, PicoUsd } from '#base';
import type { Backlog } from './backlog.ts';
import { explainRefusal } from './explain-refusal.ts';
import { retryGrowth } from './retry-growth.ts';
import type { GrowRequest, HoldRequest, Settlement } from '../ledger.ts';
import type { LedgerStore } from '../store/ledger-store.ts';
import type { ReleaseWaits } from './release-waits.ts';
import { isStoreDown, withDeadline } from '../store/store-fault.ts';
import { type Subject, nameOf, toSubject } from '../../meters/subject.ts';
import { type OwnedSettlement, encodeSettlement } from '../store/store-codec.ts';

interface HeldRequestsOptions {
  store: LedgerStore;
  backlog: Backlog;
  clock: Clock;
  /** The waits of streams whose holds are to grow. */
  releases: ReleaseWaits;
  /** How long a request waits for the database. */
  storeLimitMs: number;
  /** How long the caller of a settlement waits; absent: no limit. */
  settleLimitMs: number | undefined;
  /** A request waits for this money. */
  onBlocked(name: string): void;
  /** A settlement is written. */
  onWritten(owned: OwnedSettlement): void;
}

/** Requests with a hold of their own in the database, until their settlement is written. */
export class HeldRequests {
  readonly #options: HeldRequestsOptions;
  readonly #requests = new Map<string, HoldRequest>();
  readonly #settling = new Map<string, Promise<void>>();

  constructor(options: HeldRequestsOptions) {
    this.#options = options;
  }

  /** It has its hold. */
  add(request: HoldRequest): void {
    this.#requests.set(request.requestId, request);
  }

  /** `subject`: waits for money of this subject; absent: does not wait. */
  grow(request: GrowRequest, subject: Subject | undefined): Promise<PicoUsd> {
    const { store, clock, releases, storeLimitMs, onBlocked } = this.#options;
    return retryGrowth(request, {
      clock,
      explain: (meter, missing) => explainRefusal(this.#options, meter, { missing, subject }),
      tryGrow: (one) => withDeadline(store.grow(one), storeLimitMs),
      awaitRelease: async (meter, mostMs) => {
        if (!subject) return false;
        const name = nameOf(subject, meter);
        onBlocked(name);
        return await releases.wait(name, mostMs);
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
    const settling = this.#settle(this.#own(backlog.find(requestId) ?? settlement));
    this.#settling.set(requestId, settling);
    return settling;
  }

  async #settle(owned: OwnedSettlement): Promise<void> {
    const { store, clock, settleLimitMs, backlog, onWritten } = this.#options;
    try {
      await store.settle(owned, { clock, limitMs: settleLimitMs, onAnswer: onWritten });
    } catch (error) {
      if (!isStoreDown(error) || !(await backlog.keep(owned))) throw error;
    } finally {
      this.#settling.delete(owned.settlement.requestId);
    }
  }

  /** Writes a settlement that could not be written at first. */
  async retry(settlement: Settlement): Promise<void> {
    const owned = this.#own(settlement);
    await this.#options.store.settleEncoded(encodeSettlement(owned));
    this.#options.onWritten(owned);
  }

  /** A request that is not yet written. */
  findRequest(requestId: string): HoldRequest | undefined {
    return this.#requests.get(requestId);
  }

  /** It is written, or another owner has its hold. */
  discard(requestId: string): void {
    this.#requests.delete(requestId);
  }

  #own(settlement: Settlement): OwnedSettlement {
    const request = this.#requests.get(settlement.requestId);
    const subject = request ? toSubject(request.caller, request.premium) : toSubject(settlement.row);
    return { settlement, subject };
  }
}
