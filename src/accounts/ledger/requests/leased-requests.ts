import type { Clock, PicoUsd } from '#base';
import type { Durability, Journal, Receipt } from '#storage';
import { readBootId } from '../store/boot-id.ts';
import type { Hold, HoldRequest, Settlement } from '../ledger.ts';
import type { LedgerStore } from '../store/ledger-store.ts';
import { type LeasedRequest, type SettledRequest, keepCosts, splitSettled } from '../store/leased-request.ts';
import { Leases } from '../leases/leases.ts';
import { isStoreDown, withDeadline } from '../store/store-fault.ts';
import type { Report } from '../store/encode-report.ts';
import { ReportQueue } from './report-queue.ts';
import { type OwnedSettlement, encodeOpened, encodeOwner, encodeSettlement } from '../store/store-codec.ts';

interface LeasedRequestsOptions {
  store: LedgerStore;
  journal: Journal;
  durability: Durability;
  clock: Clock;
  /** How long a request waits for the database. */
  storeLimitMs: number;
  /** Whether other processes certainly see this one as alive: else its leases may have been ended. */
  isTrusted(): boolean;
  /** A settlement is written. */
  onWritten(owned: OwnedSettlement): void;
  onFault(error: unknown): void;
}

const RETRY_MS = 1_000;
/** A request that is open for this long gets a hold of its own, so that another process can close it. */
const OPEN_MS = 100;
const REPORTED_AT_ONCE = 500;
/** With more settlements that are not written, the next request waits for them. */
const MOST_UNWRITTEN = 2_000;

/** Requests admitted on leases, without the database: they and their settlements are journaled, then reported together. */
export class LeasedRequests {
  readonly #options: LeasedRequestsOptions;
  readonly #leases: Leases;
  /** Those that are not yet written. */
  readonly #requests = new Map<string, LeasedRequest>();
  /** The same by state: in the order of their admission, of their move to a hold, of their settlement. */
  readonly #leased = new Set<LeasedRequest>();
  readonly #opening = new Set<LeasedRequest>();
  readonly #settled = new Map<string, SettledRequest>();
  readonly #reports: ReportQueue;
  #owner: Receipt | undefined;
  #epoch = '';
  #serial = 0;
  /** Requests wait until fewer settlements are unwritten. */
  #room: PromiseWithResolvers<undefined> | undefined;
  #isClosing = false;
  #isUnanswered = false; // the last report may have been written

  constructor(options: LeasedRequestsOptions) {
    this.#options = options;
    this.#reports = new ReportQueue((all) => this.#report(all), options.clock);
    this.#leases = new Leases(() => `lease_${this.#epoch}_${(this.#serial += 1)}`);
  }

  /** From now on leases may be taken. */
  start(epoch: string): void {
    this.#epoch = epoch;
  }

  /** Admits a request if a lease covers it; else it needs a hold of its own. */
  reserve(request: HoldRequest): Promise<Hold | undefined> | undefined {
    const { clock, isTrusted } = this.#options;
    if (this.#epoch === '' || this.#isClosing || !isTrusted()) return undefined;
    const nowMs = clock.monotonicMs();
    const { lease, isShort } = this.#leases.take(request, nowMs);
    if (isShort) this.#reports.reportSoon();
    if (lease === undefined) return undefined;
    return this.#admit({
      request,
      lease,
      amount: request.amount,
      state: 'leased',
      openedMs: nowMs,
      receipts: [],
    });
  }

  /** Adds to an open request from its lease; `undefined` if its own hold is to grow instead. */
  async grow(requestId: string, amount: PicoUsd): Promise<PicoUsd | undefined> {
    const one = this.#requests.get(requestId);
    if (one === undefined || one.settling) return undefined; // the hold of a settled request is free again
    const isCovered = one.state === 'leased' && this.#options.isTrusted();
    if (isCovered && this.#leases.enlarge(one.lease, amount)) return (one.amount += amount);
    await this.createHold(requestId); // also waits for one that a report under way creates
    return undefined;
  }

  /** Gives an open request a hold of its own now. */
  async createHold(requestId: string): Promise<void> {
    const one = this.#requests.get(requestId);
    if (one === undefined || one.settling) return;
    if (one.state === 'leased') this.#moveToHold(one);
    if (one.state === 'opening') await withDeadline(this.#reports.report(), this.#options.storeLimitMs);
  }

  /** Another owner has the hold of this request now. */
  discard(requestId: string): void {
    const one = this.#requests.get(requestId);
    if (one && one.state !== 'leased') this.#drop(one);
  }

  /** Settles a request that was admitted on a lease: durable once it is in the journal. */
  settle(settlement: Settlement): Promise<void> | undefined {
    const one = this.#requests.get(settlement.requestId);
    if (one === undefined) return undefined;
    const { subject, period, id: lease } = one.lease;
    return (one.settling ??= this.#settle(one, { settlement, subject, meters: period?.meters, lease }));
  }

  /** A request that is not yet written. */
  findRequest(requestId: string): HoldRequest | undefined {
    return this.#requests.get(requestId)?.request;
  }

  /** Whether the database certainly has a hold of this request: those admitted elsewhere have. */
  isHoldStored(requestId: string): boolean {
    return (this.#requests.get(requestId)?.state ?? 'held') === 'held';
  }

  /** Ends the leases on some money: others need it, or its limit changed. Resolves once the database has it; undefined without any. */
  suspend(name: string): Promise<void> | undefined {
    return this.#leases.suspend(name, this.#options.clock.monotonicMs()) ? this.#reports.report() : undefined;
  }

  /** Ends all leases: a message may have been missed, or others may have ended them. */
  endLeases(): void {
    this.#leases.endAll();
    this.#reports.reportSoon();
  }

  /** Resolves once all that is settled now is written. `all`: every lease is reported. */
  async flush(all = false): Promise<void> {
    if (this.#settled.size > 0 || all) await this.#reports.report(all);
  }

  /** Writes all settlements and gives all leases back; returns whether the database has everything. */
  async close(): Promise<boolean> {
    this.#isClosing = true;
    this.#reports.cancelTimer();
    this.#leases.endAll();
    await this.#reports.report(true);
    if (this.#leases.size > 0) await this.#reports.report(true); // settlements that were refused together may be accepted one by one
    this.#reports.cancelTimer();
    const isWritten = this.#requests.size + this.#leases.size === 0;
    if (isWritten) this.#owner?.confirm();
    return isWritten;
  }

  async #admit(one: LeasedRequest): Promise<Hold | undefined> {
    const { request, amount, lease } = one;
    try {
      if (this.#settled.size > MOST_UNWRITTEN) await this.#awaitRoom();
      const { journal, durability } = this.#options;
      const opened = encodeOpened(request, {
        epoch: this.#epoch,
        lease: { id: lease.id, meters: lease.period?.meters },
      });
      one.receipts.push(await journal.append(opened, durability));
    } catch (error) {
      this.#leases.release(lease, amount, 0n);
      if (isStoreDown(error)) throw error; // it has waited long enough
      this.#options.onFault(error);
      return undefined;
    }
    this.#requests.set(request.requestId, one);
    this.#leased.add(one);
    this.#reports.reportNext();
    return { requestId: request.requestId, amount };
  }

  async #settle(one: LeasedRequest, owned: OwnedSettlement): Promise<void> {
    const { journal, durability, onFault } = this.#options;
    let isSafe = true;
    try {
      one.receipts.push(await journal.append(JSON.stringify(encodeSettlement(owned)), durability));
    } catch (error) {
      onFault(error);
      isSafe = false;
    }
    if (one.state === 'leased') this.#leases.release(one.lease, one.amount, owned.settlement.customer);
    this.#settled.set(owned.settlement.requestId, Object.assign(one, { settlement: owned }));
    if (this.#settled.size < REPORTED_AT_ONCE) this.#reports.reportNext();
    else this.#reports.reportSoon();
    if (!isSafe) await withDeadline(this.#reports.report(), this.#options.storeLimitMs);
  }

  /** Until some of the many settlements are written. */
  #awaitRoom(): Promise<void> {
    this.#reports.reportSoon();
    this.#room ??= Promise.withResolvers();
    return withDeadline(this.#room.promise, this.#options.storeLimitMs);
  }

  /** Moves a request from its lease to a hold of its own, with the next report. */
  #moveToHold(one: LeasedRequest): void {
    one.state = 'opening';
    one.lease.taken -= one.amount;
    this.#leased.delete(one);
    this.#opening.add(one);
  }

  async #report(all: boolean): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    for (const one of this.#leased) {
      if (nowMs - one.openedMs < OPEN_MS) break;
      if (one.settling === undefined) this.#moveToHold(one);
    }
    const unwritten = [...this.#settled.values()];
    const [settled, later] = [unwritten.slice(0, REPORTED_AT_ONCE), unwritten.slice(REPORTED_AT_ONCE)];
    const isTooMuch = later.length > 0;
    // A lease that others ask about is reported with the last of its settlements.
    const leases = all && isTooMuch ? [] : this.#leases.composeReports(nowMs, all);
    keepCosts(leases, later);
    if (this.#opening.size + settled.length + leases.length > 0)
      await this.#send({ opening: [...this.#opening], settled, leases });
    const isIdle = this.#leased.size + this.#settled.size + this.#leases.size === 0;
    if (!isIdle && !this.#isClosing) this.#reports.reportNext();
    // Requests settled meanwhile are for the next report, if there is one.
    if (isTooMuch || (this.#isClosing && this.#settled.size > 0)) await this.#report(all && isTooMuch);
  }

  async #send(report: Report): Promise<void> {
    const { store, clock, onFault } = this.#options;
    const { opening, leases } = report;
    const { settled, alone } = splitSettled(report.settled);
    const isRepeated = this.#isUnanswered;
    try {
      if (leases.length > 0) await this.#recordOwner();
      const states = await store.report({ opening, settled, leases });
      this.#isUnanswered = false;
      this.#leases.apply(leases, states, clock.monotonicMs());
      for (const one of opening) this.#finishOpening(one, states.has(one.lease.id));
      for (const one of settled) this.#discard(one);
      await this.#settleOneByOne(alone); // their holds exist now
    } catch (error) {
      this.#reports.reportWithin(RETRY_MS);
      this.#isUnanswered = isStoreDown(error);
      if (this.#isUnanswered) throw error;
      if (!isRepeated) onFault(error);
      await this.#settleOneByOne(report.settled);
    }
  }

  /** Records the owner before its first lease, so that its leases can be closed from its journal after a crash. */
  async #recordOwner(): Promise<void> {
    this.#owner ??= await this.#options.journal.appendAlone(encodeOwner(this.#epoch, readBootId()));
  }

  /** Without its lease, its hold may not have been stored: then the journal keeps it. */
  #finishOpening(one: LeasedRequest, isCertain: boolean): void {
    this.#opening.delete(one);
    one.state = isCertain ? 'held' : 'unsure';
    if (isCertain) for (const receipt of one.receipts.splice(0, 1)) receipt.confirm();
  }

  #discard(one: SettledRequest): void {
    this.#drop(one);
    this.#options.onWritten(one.settlement);
  }

  #drop(one: LeasedRequest): void {
    const { request, receipts } = one;
    this.#requests.delete(request.requestId);
    this.#leased.delete(one);
    this.#opening.delete(one);
    this.#settled.delete(request.requestId);
    for (const receipt of receipts) receipt.confirm();
    if (this.#settled.size > MOST_UNWRITTEN) return;
    this.#room?.resolve(undefined);
    this.#room = undefined;
  }

  /** Reports settlements one by one after a report of all was refused. Refused ones stay in the journal. */
  async #settleOneByOne(settled: readonly SettledRequest[]): Promise<void> {
    const { store, onFault } = this.#options;
    await Promise.all(
      settled.map(async (one) => {
        try {
          await store.settleEncoded(encodeSettlement(one.settlement));
        } catch (error) {
          onFault(error);
          if (isStoreDown(error)) return;
          one.receipts.length = 0;
        }
        this.#discard(one);
      }),
    );
  }
}
