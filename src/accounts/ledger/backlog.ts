import { parseJsonObject } from '#base';
import type { Journal, Leftover, Receipt } from '#storage';
import type { Progress, Settlement } from './ledger.ts';
import type { LedgerStore } from './ledger-store.ts';
import { isStoreDown } from './store-fault.ts';
import { type OwnedSettlement, encodeProgressRecord, encodeSettlement, isProgressRecord } from './wire.ts';

interface BacklogOptions {
  /** Absent: what the store does not take is kept in memory alone, and its caller is not told the end. */
  journal: Journal | undefined;
  onFault(error: unknown): void;
}

interface Waiting {
  settlement: Settlement;
  /** It is on the disk too. */
  receipt?: Receipt;
}

const REPLAYED_AT_ONCE = 1_000;

/** Settlements that the store has not confirmed: in memory, and in the journal from before their callers see the end. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #waiting = new Map<string, Waiting>();
  /** What the journal has of requests that go on. */
  #progress: Receipt | undefined;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Whether a settlement could be kept if the store went away now. */
  get isReady(): boolean {
    return this.#options.journal?.isReady ?? true;
  }

  find(requestId: string): Settlement | undefined {
    return this.#waiting.get(requestId)?.settlement;
  }

  /** Whether it will be written whatever happens to this process. */
  isSafe(requestId: string): boolean {
    return this.#waiting.get(requestId)?.receipt !== undefined;
  }

  /** Keeps a settlement until it is forgotten; gives whether it would survive this process. */
  async keep(owned: OwnedSettlement): Promise<boolean> {
    const { journal, onFault } = this.#options;
    const { settlement } = owned;
    const waiting: Waiting = { settlement };
    this.#waiting.set(settlement.requestId, waiting);
    if (!journal) return false;
    try {
      const receipt = await journal.append(JSON.stringify(encodeSettlement(owned)));
      if (this.#waiting.get(settlement.requestId) === waiting) waiting.receipt = receipt;
      else receipt.confirm(); // the store took it meanwhile
      return true;
    } catch (error) {
      onFault(error);
      return false;
    }
  }

  /** The store has it. */
  forget(requestId: string): void {
    const waiting = this.#waiting.get(requestId);
    this.#waiting.delete(requestId);
    waiting?.receipt?.confirm();
  }

  /** Writes all that waits; what the store refuses for good is given up here and stays in the journal. */
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
   * Writes what earlier processes left in the journal; each is effective once, also where it had been written before, and
   * progress counts for holds alone that are still open.
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

  /** Keeps how far requests have come that the store cannot be told of, in place of what was kept before. */
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

  /** The store knows more. */
  dropProgress(): void {
    this.#progress?.confirm();
    this.#progress = undefined;
  }

  async repair(): Promise<void> {
    await this.#options.journal?.repair();
  }
}
