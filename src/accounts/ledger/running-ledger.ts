import type { Clock, PicoUsd } from '#base';
import type { Database, Durability, Journal, Queryable } from '#storage';
import { Admission } from './admission.ts';
import { Backlog } from './backlog.ts';
import { LeasedRequests } from './leased-requests.ts';
import { LeaseMessages } from './lease-messages.ts';
import { JournalReplay } from './replay-journal.ts';
import { growHold } from './grow-hold.ts';
import { RetryingWriter } from './retrying-writer.ts';
import { SettlementWriter, withoutNegativeCost } from './settlement-writer.ts';
import { MaintenanceLoop } from './maintenance-loop.ts';
import { LedgerStore } from './ledger-store.ts';
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
import { ReleaseWaits } from './release-waits.ts';
import { STORE_LIMIT_MS, createJournalDown, createShutdown, withDeadline } from './store-fault.ts';
import type { WindowClock } from './window-clock.ts';
import { type Subject, nameOf, namesOf, toSubject } from './subject.ts';
import type { OwnedSettlement, ReserveOutcome, ReserveTry } from './wire.ts';

interface LedgerOptions {
  database: Database;
  clock: Clock;
  journal?: Journal;
  leases: boolean;
  durability: Durability;
  windowClock?: WindowClock;
  exclusive: boolean;
  admissionWaitMs: number;
  onFault(error: unknown): void;
}

const NO_COST = { customer: '0', provider: '0' };

/** The ledger of a running process: `start` registers it as an owner and closes what crashed owners left open. */
export class RunningLedger implements Ledger {
  readonly #options: LedgerOptions;
  readonly #store: LedgerStore;
  readonly #settlements: SettlementWriter;
  readonly #backlog: Backlog;
  readonly #admission: Admission;
  readonly #maintenance: MaintenanceLoop;
  readonly #rejects: RejectAllowance;
  /** Absent without a journal, or if leases are switched off. */
  readonly #leased: LeasedRequests | undefined;
  readonly #replay: JournalReplay;
  readonly #messages: LeaseMessages;
  readonly #growing = new ReleaseWaits();
  readonly #open = new Map<string, Subject>();
  #isRunning = false;

  constructor(options: LedgerOptions) {
    const store = new LedgerStore(options.database, options.windowClock);
    this.#options = options;
    this.#store = store;
    this.#messages = new LeaseMessages({ ...options, store });
    this.#rejects = new RejectAllowance(options.clock);
    const tries = this.#createTries();
    this.#backlog = new Backlog({ journal: options.journal, onFault: options.onFault });
    this.#settlements = this.#createSettlements();
    this.#admission = new Admission({
      waitMs: options.admissionWaitMs,
      tryReserve: (attempt) => tries.send(attempt),
      onBlocked: (name) => this.#messages.recall(name),
    });
    this.#maintenance = new MaintenanceLoop({
      ...options,
      store,
      backlog: this.#backlog,
      retrySettlement: (settlement) =>
        this.#settlements.retry({ settlement, subject: this.#subjectOf(settlement) }),
      isHeld: (requestId) => this.#leased?.isHeld(requestId) ?? true,
      beforeSweep: () => this.#replay.resume(),
      onReturn: () => this.#leased?.endLeases(),
    });
    this.#replay = new JournalReplay({ ...options, store });
    if (options.journal && options.leases) this.#leased = this.#createLeased(options.journal);
  }

  #createLeased(journal: Journal): LeasedRequests {
    const { clock, durability, onFault } = this.#options;
    return new LeasedRequests({
      store: this.#store,
      journal,
      durability,
      clock,
      isTrusted: () => this.#maintenance.isTrusted,
      onWritten: (owned) => this.#forget(owned),
      onFault,
    });
  }

  #createTries(): RetryingWriter<ReserveTry, ReserveOutcome> {
    return new RetryingWriter({
      clock: this.#options.clock,
      limitMs: STORE_LIMIT_MS,
      write: (call) => this.#store.reserve(call),
      onAnswer: ({ request }, { status }, isLate) => {
        if (isLate) this.#maintenance.markUncertain(request.requestId);
        else if (status === 'ok')
          this.#open.set(request.requestId, toSubject(request.caller, request.premium));
      },
      onUncertain: ({ request }) => this.#maintenance.markUncertain(request.requestId),
    });
  }

  #createSettlements(): SettlementWriter {
    const { clock, journal } = this.#options;
    return new SettlementWriter({
      store: this.#store,
      backlog: this.#backlog,
      clock,
      hasJournal: journal !== undefined,
      onWritten: (owned) => this.#forget(owned),
    });
  }

  async start(note: string): Promise<void> {
    // Before the sweep, which would estimate what the journal has exactly.
    await this.#replay.replay(this.#options.journal?.takeLeftovers() ?? []);
    const epoch = await this.#store.createOwner(note);
    await this.#maintenance.sweep();
    this.#maintenance.start();
    this.#leased?.start(epoch);
    this.#isRunning = true;
  }

  /** Another process asks for money of leases or for figures, or has returned money. */
  hear(message: string): void {
    const [verb, ...words] = message.split(' ');
    const name = words.join(' ');
    if (verb === 'return') this.#returnLeases(name);
    else if (verb === 'returned') this.#wake([name]);
    else this.#leased?.flush(true).catch(() => undefined);
  }

  #returnLeases(name: string): void {
    this.#leased?.suspend(name)?.then(
      () => this.#messages.announceReturn(name),
      () => undefined, // it is reported again, and those who wait look by themselves
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
    await this.#maintenance.stop();
    await this.#leased?.close().catch(this.#options.onFault);
    await this.#store.drain();
    await this.#maintenance.tick();
    await this.#store.removeOwner().catch(this.#options.onFault);
  }

  reserve(request: HoldRequest, signal?: LeaveSignal): Promise<Hold> {
    const obstacle = this.#findObstacle(request);
    if (obstacle) return Promise.reject(obstacle);
    this.#maintenance.clearUncertain(request.requestId);
    const leasing = this.#leased?.reserve(request);
    return leasing === undefined
      ? this.#admission.reserve(request, signal)
      : this.#lease(request, leasing, signal);
  }

  /** The journal may refuse: then the request takes a hold of its own. */
  async #lease(
    request: HoldRequest,
    leasing: Promise<Hold | undefined>,
    signal?: LeaveSignal,
  ): Promise<Hold> {
    const hold = await leasing;
    if (hold === undefined) return this.#admission.reserve(request, signal);
    this.#open.set(request.requestId, toSubject(request.caller, request.premium));
    return hold;
  }

  #findObstacle({ amount }: HoldRequest): Error | undefined {
    if (!this.#isRunning) return createShutdown('this gateway is not ready; retry');
    if (amount < 0n) return new RangeError('a hold cannot be negative');
    return amount > 0n && !this.#backlog.isReady ? createJournalDown() : undefined;
  }

  async grow(request: GrowRequest): Promise<PicoUsd> {
    const { requestId, amount } = request;
    const subject = this.#open.get(requestId);
    return (
      (await this.#leased?.grow(requestId, amount)) ??
      growHold(request, {
        clock: this.#options.clock,
        tryGrow: (one) => withDeadline(STORE_LIMIT_MS, this.#store.grow(one)),
        awaitRelease: async (meter, mostMs) => {
          if (!subject) return false;
          const name = nameOf(subject, meter);
          this.#messages.recall(name);
          return await this.#growing.wait(name, mostMs);
        },
      })
    );
  }

  noteProgress(requestId: string, progress: Progress): void {
    if (this.#open.has(requestId)) this.#maintenance.noteProgress(requestId, progress);
  }

  settle(settlement: Settlement): Promise<void> {
    const { requestId } = settlement;
    const pending = this.#settlements.findPending(requestId);
    if (pending !== undefined) return pending;
    if (this.#backlog.isSafe(requestId)) return Promise.resolve();
    const first = this.#backlog.find(requestId) ?? withoutNegativeCost(settlement);
    const owned = { settlement: first, subject: this.#subjectOf(first) };
    return this.#leased?.settle(owned) ?? this.#settlements.write(owned);
  }

  async entrust(transaction: Queryable, requestId: string): Promise<void> {
    await this.#leased?.giveHold(requestId);
    await this.#store.entrust(transaction, requestId);
    this.#leased?.handOver(requestId);
    this.#open.delete(requestId);
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
    this.#growing.stop();
  }

  async checkReady(): Promise<void> {
    if (!this.#isRunning) throw createShutdown('this gateway is not ready; retry');
    if (!this.#backlog.isReady) throw createJournalDown();
    await this.#store.checkWritable();
  }

  /** What this process and, for a moment, others have settled is written. */
  async catchUp(subject: Pick<Subject, 'keyId' | 'organizationId'>): Promise<void> {
    await this.#leased?.flush();
    if (!this.#options.exclusive) await this.#messages.catchUp(subject);
  }

  sweep(): Promise<number> {
    return this.#maintenance.sweep();
  }

  sumLost(): Promise<PicoUsd> {
    return this.#store.sumLost();
  }

  check(): Promise<LedgerDifference[]> {
    return this.#store.check();
  }

  /** The settlement is written: drops it here and wakes requests waiting for its money. */
  #forget({ settlement: { requestId }, subject }: OwnedSettlement): void {
    this.#maintenance.forget(requestId);
    this.#backlog.forget(requestId);
    this.#open.delete(requestId);
    if (this.#admission.isAwaited || this.#growing.isAwaited)
      this.#wake(namesOf({ ...subject, premium: true }));
  }

  /** Money is released: requests that wait for it are tried again. */
  #wake(names: readonly string[]): void {
    this.#admission.wake(names);
    this.#growing.wake(names);
  }

  #subjectOf({ requestId, row }: Settlement): Subject {
    return this.#open.get(requestId) ?? toSubject(row);
  }
}
