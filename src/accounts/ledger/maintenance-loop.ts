import type { Clock } from '#base';
import type { Backlog } from './requests/backlog.ts';
import type { Progress, Settlement } from './ledger.ts';
import type { OwnerStore } from './store/owner-store.ts';
import { createStoreTooSlow, withDeadline } from './store/store-fault.ts';

interface MaintenanceLoopOptions {
  owners: OwnerStore;
  backlog: Backlog;
  clock: Clock;
  /** True if no other process uses the database, so that no other owner can become an orphan later. */
  exclusive: boolean;
  /** Resolves once the database has the heartbeat and the progress recorded so far. */
  sendHeartbeat(): Promise<void>;
  /** Writes a settlement that could not be written at first. */
  retrySettlement(settlement: Settlement): Promise<void>;
  /** Whether a hold certainly takes the progress of a request. */
  isHoldStored(requestId: string): boolean;
  /** Called before the sweep, which would estimate amounts that may be known exactly. */
  beforeSweep(): Promise<void>;
  /** Called after missed heartbeats: others may have released its holds. */
  onReturn(): void;
  onFault(error: unknown): void;
}

const TICK_MS = 1_000;
/** Progress is in the journal this soon. */
const JOURNAL_MS = 100;
/** Well below the silence after which a process counts as one that does not answer. */
const HEARTBEAT_MS = 4_000;
const SWEEP_MS = 10_000;
/** A process whose last heartbeat is older may soon be considered crashed. */
const TRUSTED_MS = 20_000;
const SWEPT_AT_ONCE = 500;
/** A reserve without an answer may still be running on the server; after this time it has ended there. */
const UNCERTAIN_MS = 60_000;

/** The work that a process does once a second besides its requests: heartbeat, progress, and repair after an outage. */
export class MaintenanceLoop {
  readonly #options: MaintenanceLoopOptions;
  #progress = new Map<string, Progress>();
  /** Not yet in the journal. */
  #unjournaled = new Map<string, Progress>();
  /** Sent to the store; restored if the write fails. */
  #sent = new Map<string, Progress>();
  #sending: Promise<void> | undefined;
  readonly #uncertain = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #journaling: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  #heartbeatAtMs = 0;
  #sweptAtMs = 0;

  constructor(options: MaintenanceLoopOptions) {
    this.#options = options;
  }

  /** Whether other processes certainly see this one as alive. */
  get isTrusted(): boolean {
    return this.#options.clock.monotonicMs() - this.#heartbeatAtMs < TRUSTED_MS;
  }

  start(): void {
    this.#heartbeatAtMs = this.#options.clock.monotonicMs();
    this.#sweptAtMs = this.#heartbeatAtMs;
    this.#timer = setInterval(() => void (this.#turn ??= this.#run()), TICK_MS);
    this.#timer.unref();
    this.#journaling = setInterval(() => void this.journalProgress(), JOURNAL_MS);
    this.#journaling.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearInterval(this.#journaling);
    await this.#turn;
  }

  recordProgress(requestId: string, progress: Progress): void {
    this.#progress.set(requestId, progress);
    this.#unjournaled.set(requestId, progress);
  }

  /** Drops a request's progress once it is settled. */
  discard(requestId: string): void {
    this.#progress.delete(requestId);
    this.#sent.delete(requestId);
    this.#unjournaled.delete(requestId);
  }

  /** Keeps the latest progress for a crash before the next tick. */
  async journalProgress(): Promise<void> {
    const latest = this.#unjournaled;
    this.#unjournaled = new Map();
    await this.#options.backlog.addProgress(latest);
  }

  /** Its reserve failed without an answer: if the hold exists, it is released. */
  markUncertain(requestId: string): void {
    this.#uncertain.set(requestId, this.#options.clock.monotonicMs() + UNCERTAIN_MS);
  }

  clearUncertain(requestId: string): void {
    this.#uncertain.delete(requestId);
  }

  /** One round; never throws, because the next one retries. */
  async tick(): Promise<void> {
    for (const step of [
      this.#repair,
      this.#sendHeartbeat,
      this.#release,
      this.#retrySettlements,
      this.#sweepNow,
    ]) {
      await step.call(this).catch(this.#options.onFault);
    }
  }

  async sweep(): Promise<number> {
    await this.#options.beforeSweep();
    let total = 0;
    for (;;) {
      const closed = await this.#options.owners.sweep(this.#options.exclusive);
      total += closed;
      if (closed < SWEPT_AT_ONCE) return total;
    }
  }

  async #run(): Promise<void> {
    await this.tick();
    this.#turn = undefined;
  }

  async #sendHeartbeat(): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#progress.size === 0 && nowMs - this.#heartbeatAtMs < HEARTBEAT_MS) return;
    this.#sent = this.#progress;
    this.#progress = new Map();
    const dropJournaled = this.#options.backlog.markProgress();
    const unheldIds = [...this.#sent.keys()].filter((id) => !this.#options.isHoldStored(id));
    try {
      await this.#send();
      if (!this.isTrusted) this.#options.onReturn();
      this.#heartbeatAtMs = nowMs;
      if (await this.#keep(unheldIds)) dropJournaled();
    } catch (error) {
      this.#progress = new Map([...this.#sent, ...this.#progress]);
      await this.#options.backlog.replaceProgress(this.#progress);
      this.#sweptAtMs = nowMs; // after an outage, other processes get time to renew their heartbeats
      throw error;
    } finally {
      this.#sent = new Map();
    }
  }

  /** A request on a lease may have had no hold to take its progress: that stays in the journal and is sent again. */
  async #keep(requestIds: readonly string[]): Promise<boolean> {
    const kept = new Map<string, Progress>();
    for (const id of requestIds) {
      const progress = this.#progress.get(id) ?? this.#sent.get(id);
      if (progress) kept.set(id, progress);
    }
    if (kept.size === 0) return true;
    for (const [id, progress] of kept) this.#progress.set(id, progress);
    return this.#options.backlog.addProgress(kept);
  }

  /** One at a time: a hanging store is not called again meanwhile. */
  #send(): Promise<void> {
    if (this.#sending) return Promise.reject(createStoreTooSlow());
    const reporting = this.#options.sendHeartbeat().finally(() => (this.#sending = undefined));
    this.#sending = reporting;
    return withDeadline(reporting);
  }

  async #release(): Promise<void> {
    if (this.#uncertain.size === 0) return;
    await this.#options.owners.release([...this.#uncertain.keys()]);
    const nowMs = this.#options.clock.monotonicMs();
    for (const [requestId, untilMs] of this.#uncertain)
      if (untilMs <= nowMs) this.#uncertain.delete(requestId);
  }

  async #repair(): Promise<void> {
    await this.#options.backlog.repair();
  }

  async #retrySettlements(): Promise<void> {
    await this.#options.backlog.retry((settlement) => this.#options.retrySettlement(settlement));
  }

  async #sweepNow(): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#options.exclusive || nowMs - this.#sweptAtMs < SWEEP_MS) return;
    this.#sweptAtMs = nowMs;
    await this.sweep();
  }
}
