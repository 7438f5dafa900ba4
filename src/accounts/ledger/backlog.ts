import { parseJsonObject } from '#base';
import type { Journal, Leftover, Receipt } from '#storage';
import type { Progress, Settlement } from './ledger.ts';
import type { LedgerStore } from './ledger-store.ts';
import { isStoreDown } from './store-fault.ts';
import { type OwnedSettlement, encodeProgressRecord, encodeSettlement, isProgressRecord } from './wire.ts';

interface BacklogOptions {
  /** Absent: unwritten settlements are kept in memory alone, and the end of the answer is withheld. */
  journal: Journal | undefined;
  onFault(error: unknown): void;
}

interface Waiting {
  settlement: Settlement;
  /** Set if it is on disk too. */
  receipt?: Receipt;
}

const REPLAYED_AT_ONCE = 1_000;

/** Settlements that the store has not confirmed: in memory and, before their callers see the end, in the journal. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #waiting = new Map<string, Waiting>();
  /** The journal's record of the progress of open requests. */
  #progress: Receipt | undefined;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Whether a settlement could be kept if the store became unavailable now. */
  get isReady(): boolean {
    return this.#options.journal?.isReady ?? true;
  }

  find(requestId: string): Settlement | undefined {
    return this.#waiting.get(requestId)?.settlement;
  }

  /** Whether it will be written even if this process crashes. */
  isSafe(requestId: string): boolean {
    return this.#waiting.get(requestId)?.receipt !== undefined;
  }

  /** Keeps a settlement until `forget`; returns whether it would survive a crash of this process. */
  async keep(owned: OwnedSettlement): Promise<boolean> {
    const { journal, onFault } = this.#options;
    const { settlement } = owned;
    const waiting: Waiting = { settlement };
    this.#waiting.set(settlement.requestId, waiting);
    if (!journal) return false;
    try {
      const receipt = await journal.append(JSON.stringify(encodeSettlement(owned)));
      if (this.#waiting.get(settlement.requestId) === waiting) waiting.receipt = receipt;
      else receipt.confirm(); // written by the store in the meantime
      return true;
    } catch (error) {
      onFault(error);
      return false;
    }
  }

  /** Removes a settlement that the store has confirmed. */
  forget(requestId: string): void {
    const waiting = this.#waiting.get(requestId);
    this.#waiting.delete(requestId);
    waiting?.receipt?.confirm();
  }

  /** Writes all pending settlements; those the store permanently refuses are dropped here and stay in the journal. */
  async ship(write: (settlement: Settlement) => Promise<void>): Promise<void> {
    const one = async (settlement: Settlement): Promise<void> => {
      try {
        await write(settlement);
      } catch (error) {
        if (!isStoreDown(error)) this.#waiting.delete(settlement.requestId);
        throw error;
      }
    };
    await Promise.all([...this.#waiting.values()].map(({ settlement }) => one(settlement)));
  }

  /**
   * Writes what earlier processes left in the journal. Each record takes effect once, even if it was written before;
   * progress only counts for holds that are still open.
   */
  async replay(store: LedgerStore): Promise<void> {
    const leftovers = this.#options.journal?.takeLeftovers() ?? [];
    const settlements = leftovers.filter(({ text }) => !isProgressRecord(text));
    for (let at = 0; at < settlements.length; at += REPLAYED_AT_ONCE) {
      const some = settlements.slice(at, at + REPLAYED_AT_ONCE);
      await Promise.all(some.map((leftover) => this.#replayOne(store, leftover)));
    }
    for (const leftover of leftovers.filter(({ text }) => isProgressRecord(text)))
      await this.#replayOne(store, leftover);
  }

  async #replayOne(store: LedgerStore, { text, confirm }: Leftover): Promise<void> {
    const record = parseJsonObject(text);
    try {
      if (!record) throw new Error('a record of the journal cannot be read');
      await (isProgressRecord(text)
        ? store.restoreProgress(record['progress'] ?? {})
        : store.settleEncoded(record));
      confirm();
    } catch (error) {
      if (isStoreDown(error)) throw error;
      this.#options.onFault(error);
    }
  }

  /** Keeps progress that could not be reported to the store, replacing the earlier record. */
  async keepProgress(progress: ReadonlyMap<string, Progress>): Promise<void> {
    const { journal, onFault } = this.#options;
    if (!journal?.isRoomy || progress.size === 0) return;
    try {
      const receipt = await journal.append(encodeProgressRecord(progress));
      this.dropProgress();
      this.#progress = receipt;
    } catch (error) {
      onFault(error);
    }
  }

  /** Drops the progress record once the store has later figures. */
  dropProgress(): void {
    this.#progress?.confirm();
    this.#progress = undefined;
  }

  async repair(): Promise<void> {
    await this.#options.journal?.repair();
  }
}
