import type { Clock, PicoUsd } from '#base';
import type { Database, Durability, Journal, Queryable } from '#storage';
import { Admission } from './requests/admission.ts';
import { Backlog } from './requests/backlog.ts';
import { compareLedger } from './check/compare-ledger.ts';
import { LeasedRequests } from './requests/leased-requests.ts';
import { LeaseMessages } from './requests/lease-messages.ts';
import { JournalReplay } from './requests/replay-journal.ts';
import { HeldRequests } from './requests/held-requests.ts';
import { DeliveredProgress } from './requests/delivered-progress.ts';
import { MaintenanceLoop } from './maintenance-loop.ts';
import { LedgerCalls } from './store/ledger-calls.ts';
import { LedgerStore } from './store/ledger-store.ts';
import { OwnerStore } from './store/owner-store.ts';
import type {
  GrowRequest,
  Hold,
  HoldRequest,
  LeaveSignal,
  Ledger,
  LedgerDifference,
  OutcomeRow,
  Progress,
  Settlement,
} from './ledger.ts';
import { RejectAllowance } from './reject-allowance.ts';
import { ReleaseWaits } from './requests/release-waits.ts';
import { SETTLE_LIMIT_MS, createJournalDown, createShutdown } from './store/store-fault.ts';
import type { WindowClock } from '../meters/window-clock.ts';
import { type Subject, namesOf, toSubject } from '../meters/subject.ts';
import type { OwnedSettlement } from './store/store-codec.ts';

interface LedgerOptions {
  database: Database;
  clock: Clock;
  journal?: Journal;
  leases: boolean;
  durability: Durability;
  windowClock?: WindowClock;
  exclusive: boolean;
  admissionWaitMs: number;
  storeLimitMs: number;
  onFault(error: unknown): void;
}

const NO_COST = { customer: '0', provider: '0' };

/** The ledger of a running process: `start` registers it as an owner and closes what crashed owners left open. */
export class RunningLedger implements Ledger {
  readonly #options: LedgerOptions;
  readonly #calls: LedgerCalls;
  readonly #store: LedgerStore;
  readonly #owners: OwnerStore;
  readonly #backlog: Backlog;
  /** Requests that wait for holds of their own. */
  readonly #admission: Admission;
  /** Open streams that wait to grow such holds. */
  readonly #releases = new ReleaseWaits();
  readonly #held: HeldRequests;
  readonly #maintenance: MaintenanceLoop;
  readonly #delivered: DeliveredProgress;
  readonly #rejects: RejectAllowance;
  /** Absent without a journal, or if leases are switched off. */
  readonly #leased: LeasedRequests | undefined;
  readonly #replay: JournalReplay;
  readonly #messages: LeaseMessages;
  #isRunning = false;

  constructor(options: LedgerOptions) {
    const calls = new LedgerCalls(options.database);
    const store = new LedgerStore(calls, options.windowClock);
    const owners = new OwnerStore(calls);
    this.#options = options;
    this.#calls = calls;
    this.#store = store;
    this.#owners = owners;
    this.#messages = new LeaseMessages({ ...options, owners });
    this.#rejects = new RejectAllowance(options.clock);
    this.#delivered = new DeliveredProgress({ ...options, owners });
    this.#backlog = new Backlog({ journal: options.journal, onFault: options.onFault });
    const onBlocked = (name: string): void => this.#messages.recall(name);
    this.#admission = new Admission({
      ...options,
      store,
      onHeld: (request) => this.#held.add(request),
      onUncertain: (requestId) => this.#maintenance.markUncertain(requestId),
      onBlocked,
    });
    this.#held = new HeldRequests({
      ...options,
      store,
      backlog: this.#backlog,
      releases: this.#releases,
      settleLimitMs: options.journal && SETTLE_LIMIT_MS,
      onBlocked,
      onWritten: (owned) => this.#discard(owned),
    });
    this.#maintenance = new MaintenanceLoop({
      ...options,
      owners,
      backlog: this.#backlog,
      sendHeartbeat: async () => {
        await owners.sendHeartbeat();
        await this.#delivered.write();
      },
      retrySettlement: (settlement) => this.#held.retry(settlement),
      isHoldStored: (requestId) => this.#leased?.isHoldStored(requestId) ?? true,
      beforeSweep: () => this.#replay.resume(),
      onReturn: () => this.#leased?.endLeases(),
    });
    this.#replay = new JournalReplay({
      ...options,
      store: owners,
      settleEncoded: (encoded) => store.settleEncoded(encoded),
    });
    this.#leased = options.journal && options.leases ? this.#createLeased(options.journal) : undefined;
  }

  #createLeased(journal: Journal): LeasedRequests {
    return new LeasedRequests({
      ...this.#options,
      store: this.#store,
      journal,
      isTrusted: () => this.#maintenance.isTrusted,
      onWritten: (owned) => this.#discard(owned),
    });
  }

  async start(note: string): Promise<void> {
    // Before the sweep, which would estimate what the journal has exactly.
    await this.#replay.replay(this.#options.journal?.takeLeftovers() ?? []);
    const epoch = await this.#owners.create(note);
    await this.#maintenance.sweep();
    this.#maintenance.start();
    if (!this.#options.exclusive) this.#delivered.start(); // alone, it has all in its journal at its next start
    this.#leased?.start(epoch);
    this.#isRunning = true;
  }

  /** Another process asks for money of leases or for figures, or has returned money. */
  receive(message: string): void {
    const [verb, ...words] = message.split(' ');
    const name = words.join(' ');
    if (verb === 'return') this.#returnLeases(name);
    else if (verb === 'returned') this.#wake([name]);
    else this.#leased?.flush(true).catch(() => undefined);
  }

  #returnLeases(name: string): void {
    this.#leased?.suspend(name)?.then(
      () => this.#messages.announceReturn(name),
      () => undefined, // it is reported again, and waiting requests check by themselves
    );
  }

  /** A message may have been missed. */
  missMessages(): void {
    this.#leased?.endLeases();
  }

  async close(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.stopWaiting();
    this.#delivered.stop();
    await this.#maintenance.stop();
    await this.#endLeases().catch(this.#options.onFault);
    await this.#store.drain();
    await this.#maintenance.tick();
    await this.#owners.remove().catch(this.#options.onFault);
  }

  /** Other processes may have taken this one for dead and counted its leases as lost; now everything is written. */
  async #endLeases(): Promise<void> {
    if ((await this.#leased?.close()) === true) await this.#owners.returnLeases();
  }

  reserve(request: HoldRequest, signal?: LeaveSignal): Promise<Hold> {
    const obstacle = this.#findObstacle(request);
    if (obstacle) return Promise.reject(obstacle);
    this.#maintenance.clearUncertain(request.requestId);
    const leasing = this.#leased?.reserve(request);
    if (leasing === undefined) return this.#admission.reserve(request, signal);
    // The journal may refuse: then the request takes a hold of its own.
    return leasing.then((hold) => hold ?? this.#admission.reserve(request, signal));
  }

  #findObstacle({ amount }: HoldRequest): Error | undefined {
    if (!this.#isRunning) return createShutdown('this gateway is not ready; retry');
    if (amount < 0n) return new RangeError('a hold cannot be negative');
    return amount > 0n && !this.#backlog.isReady ? createJournalDown() : undefined;
  }

  async grow(request: GrowRequest): Promise<PicoUsd> {
    const { requestId, amount } = request;
    const subject = this.#findSubject(requestId);
    return (await this.#leased?.grow(requestId, amount)) ?? this.#held.grow(request, subject);
  }

  recordProgress(requestId: string, progress: Progress): void {
    const request = this.#find(requestId);
    if (request === undefined) return;
    this.#maintenance.recordProgress(requestId, progress);
    this.#delivered.record(request.row, progress);
  }

  settle(settlement: Settlement): Promise<void> {
    const stored = withoutNegativeCost(settlement);
    return this.#leased?.settle(stored) ?? this.#held.settle(stored);
  }

  async transferHold(transaction: Queryable, requestId: string): Promise<void> {
    await this.#leased?.createHold(requestId);
    await this.#store.transferHold(transaction, requestId);
    this.#leased?.discard(requestId);
    this.#held.discard(requestId);
  }

  async resolve(transaction: Queryable, settlement: Settlement): Promise<void> {
    const stored = withoutNegativeCost(settlement);
    await this.#store.resolve(transaction, { settlement: stored, subject: toSubject(stored.row) });
  }

  async record(row: OutcomeRow): Promise<void> {
    if (row.finishReason === 'client_error' && !this.#rejects.take(row.keyId)) return;
    await this.#store.record({ ...row, ...NO_COST });
  }

  get unwritten(): number {
    return this.#backlog.size;
  }

  stopWaiting(): void {
    this.#admission.stopWaiting();
    this.#releases.stop();
  }

  async checkReady(): Promise<void> {
    if (!this.#isRunning) throw createShutdown('this gateway is not ready; retry');
    if (!this.#backlog.isReady) throw createJournalDown();
    await this.#calls.checkWritable();
  }

  /** Writes what this process has settled, and waits briefly until others have. */
  async catchUp(subject: Pick<Subject, 'keyId' | 'organizationId'>): Promise<boolean> {
    await this.#leased?.flush();
    return this.#options.exclusive || this.#messages.catchUp(subject);
  }

  sweep(): Promise<number> {
    return this.#maintenance.sweep();
  }

  sumLost(): Promise<PicoUsd> {
    return this.#owners.sumLost();
  }

  check(): Promise<LedgerDifference[]> {
    return compareLedger(this.#options.database);
  }

  /** The settlement is written: drops it here and wakes requests waiting for its money. */
  #discard({ settlement: { requestId }, subject }: OwnedSettlement): void {
    this.#maintenance.discard(requestId);
    this.#delivered.discard(requestId);
    this.#backlog.discard(requestId);
    this.#held.discard(requestId);
    if (this.#admission.isAwaited || this.#releases.isAwaited)
      this.#wake(namesOf({ ...subject, premium: true }));
  }

  /** Money is released: requests that wait for it are tried again. */
  #wake(names: readonly string[]): void {
    this.#admission.wake(names);
    this.#releases.wake(names);
  }

  #find(requestId: string): HoldRequest | undefined {
    return this.#held.findRequest(requestId) ?? this.#leased?.findRequest(requestId);
  }

  #findSubject(requestId: string): Subject | undefined {
    const request = this.#find(requestId);
    return request && toSubject(request.caller, request.premium);
  }
}

/** A negative cost would credit an account: it counts as zero, and the row is marked as estimated. */
function withoutNegativeCost(settlement: Settlement): Settlement {
  if (settlement.customer >= 0n && settlement.provider >= 0n) return settlement;
  const floor = (amount: bigint): bigint => (amount < 0n ? 0n : amount);
  return {
    ...settlement,
    customer: floor(settlement.customer),
    provider: floor(settlement.provider),
    estimated: true,
  };
}
