import type { Clock, PicoUsd } from '#base';
import type { Database, Journal, Queryable } from '#storage';
import { Admission } from './admission.ts';
import { Backlog } from './backlog.ts';
import { growHold } from './grow-hold.ts';
import { RetryingWriter } from './retrying-writer.ts';
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
import {
  SETTLE_LIMIT_MS,
  STORE_LIMIT_MS,
  createJournalDown,
  createShutdown,
  isStoreDown,
  withDeadline,
} from './store-fault.ts';
import type { WindowClock } from './window-clock.ts';
import {
  type OwnedSettlement,
  type Subject,
  type ReserveOutcome,
  type ReserveTry,
  encodeSettlement,
} from './wire.ts';

interface LedgerOptions {
  database: Database;
  clock: Clock;
  journal?: Journal;
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
  readonly #settlements: RetryingWriter<OwnedSettlement, undefined>;
  readonly #backlog: Backlog;
  readonly #admission: Admission;
  readonly #maintenance: MaintenanceLoop;
  readonly #rejects: RejectAllowance;
  readonly #open = new Map<string, Subject>();
  readonly #settling = new Map<string, Promise<void>>();
  #isRunning = false;

  constructor(options: LedgerOptions) {
    const store = new LedgerStore(options.database, options.windowClock);
    this.#options = options;
    this.#store = store;
    this.#rejects = new RejectAllowance(options.clock);
    const tries = this.#createTries();
    this.#settlements = this.#createSettlements();
    this.#admission = new Admission({
      waitMs: options.admissionWaitMs,
      tryReserve: (attempt) => tries.send(attempt),
    });
    this.#backlog = new Backlog({ journal: options.journal, onFault: options.onFault });
    this.#maintenance = new MaintenanceLoop({
      ...options,
      store,
      backlog: this.#backlog,
      retrySettlement: (settlement) => this.#retry(settlement),
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

  #createSettlements(): RetryingWriter<OwnedSettlement, undefined> {
    const { clock, journal } = this.#options;
    return new RetryingWriter({
      clock,
      ...(journal && { limitMs: SETTLE_LIMIT_MS }),
      write: (call) => this.#store.settle(call),
      onAnswer: (owned) => this.#forget(owned),
    });
  }

  async start(note: string): Promise<void> {
    await this.#backlog.replay(this.#store); // before the sweep, which would estimate what the journal has exactly
    await this.#store.createOwner(note);
    await this.#maintenance.sweep();
    this.#maintenance.start();
    this.#isRunning = true;
  }

  async close(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#admission.stopWaiting();
    await this.#maintenance.stop();
    await this.#store.drain();
    await this.#maintenance.tick();
    await this.#store.removeOwner().catch(this.#options.onFault);
  }

  reserve(request: HoldRequest, signal?: LeaveSignal): Promise<Hold> {
    const obstacle = this.#findObstacle(request);
    if (obstacle) return Promise.reject(obstacle);
    this.#maintenance.clearUncertain(request.requestId);
    return this.#admission.reserve(request, signal);
  }

  #findObstacle({ amount }: HoldRequest): Error | undefined {
    if (!this.#isRunning) return createShutdown('this gateway is not ready; retry');
    if (amount < 0n) return new RangeError('a hold cannot be negative');
    return amount > 0n && !this.#backlog.isReady ? createJournalDown() : undefined;
  }

  grow(request: GrowRequest): Promise<PicoUsd> {
    return growHold(request, (one) => withDeadline(STORE_LIMIT_MS, this.#store.grow(one)));
  }

  noteProgress(requestId: string, progress: Progress): void {
    if (this.#open.has(requestId)) this.#maintenance.noteProgress(requestId, progress);
  }

  settle(settlement: Settlement): Promise<void> {
    const { requestId } = settlement;
    const pending = this.#settling.get(requestId);
    if (pending !== undefined) return pending;
    if (this.#backlog.isSafe(requestId)) return Promise.resolve();
    const first = this.#backlog.find(requestId) ?? withoutNegativeCost(settlement);
    const settling = this.#settle({ settlement: first, subject: this.#subjectOf(first) });
    this.#settling.set(requestId, settling);
    return settling;
  }

  async entrust(transaction: Queryable, requestId: string): Promise<void> {
    await this.#store.entrust(transaction, requestId);
    this.#maintenance.forget(requestId);
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

  stopWaiting(): void {
    this.#admission.stopWaiting();
  }

  async checkReady(): Promise<void> {
    if (!this.#isRunning) throw createShutdown('this gateway is not ready; retry');
    if (!this.#backlog.isReady) throw createJournalDown();
    await this.#store.checkWritable();
  }

  sweep(): Promise<number> {
    return this.#maintenance.sweep();
  }

  check(): Promise<LedgerDifference[]> {
    return this.#store.check();
  }

  async #settle(owned: OwnedSettlement): Promise<void> {
    try {
      await this.#settlements.send(owned);
    } catch (error) {
      if (!isStoreDown(error) || !(await this.#backlog.keep(owned))) throw error;
    } finally {
      this.#settling.delete(owned.settlement.requestId);
    }
  }

  async #retry(settlement: Settlement): Promise<void> {
    const owned = { settlement, subject: this.#subjectOf(settlement) };
    await this.#store.settleEncoded(encodeSettlement(owned));
    this.#forget(owned);
  }

  /** The settlement is written: drops it here and wakes requests waiting for its money. */
  #forget({ settlement: { requestId }, subject }: OwnedSettlement): void {
    this.#maintenance.forget(requestId);
    this.#backlog.forget(requestId);
    this.#open.delete(requestId);
    this.#admission.wake(subject);
  }

  #subjectOf({ requestId, row }: Settlement): Subject {
    return this.#open.get(requestId) ?? toSubject(row);
  }
}

function toSubject(whose: Omit<Subject, 'premium'>, premium = false): Subject {
  const { keyId, organizationId, memberId, sessionTokenId } = whose;
  return { keyId, organizationId, memberId, sessionTokenId, premium };
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
