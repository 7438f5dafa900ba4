import type { Journal, Receipt } from '#storage';
import type { Progress, Settlement } from '../ledger.ts';
import { isStoreDown } from '../store/store-fault.ts';
import { type OwnedSettlement, encodeProgressRecord, encodeSettlement } from '../store/store-codec.ts';

interface BacklogOptions {
  /** Absent: unwritten settlements are kept in memory alone, and the end of the answer is withheld. */
  journal: Journal | undefined;
  onFault(error: unknown): void;
}

interface UnconfirmedSettlement {
  settlement: Settlement;
  /** Set if it is on disk too. */
  receipt?: Receipt;
}

/** Settlements that the store has not confirmed: in memory and, before their callers see the end, in the journal. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #waiting = new Map<string, UnconfirmedSettlement>();
  /** The journal's records of the progress of open requests. */
  #progress: Receipt[] = [];

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Whether a settlement could be kept if the store became unavailable now. */
  get isReady(): boolean {
    return this.#options.journal?.isReady ?? true;
  }

  get size(): number {
    return this.#waiting.size;
  }

  find(requestId: string): Settlement | undefined {
    return this.#waiting.get(requestId)?.settlement;
  }

  /** Whether it will be written even if this process crashes. */
  isSafe(requestId: string): boolean {
    return this.#waiting.get(requestId)?.receipt !== undefined;
  }

  /** Keeps a settlement until `discard`; returns whether it would survive a crash of this process. */
  async keep(owned: OwnedSettlement): Promise<boolean> {
    const { journal, onFault } = this.#options;
    const { settlement } = owned;
    const waiting: UnconfirmedSettlement = { settlement };
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
  discard(requestId: string): void {
    const waiting = this.#waiting.get(requestId);
    this.#waiting.delete(requestId);
    waiting?.receipt?.confirm();
  }

  /** Writes all pending settlements; those the store permanently refuses are dropped here and stay in the journal. */
  async retry(write: (settlement: Settlement) => Promise<void>): Promise<void> {
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

  /** Keeps progress until the store has it, next to earlier records; returns whether it is kept. */
  async addProgress(progress: ReadonlyMap<string, Progress>): Promise<boolean> {
    const { journal, onFault } = this.#options;
    if (!journal?.isRoomy || progress.size === 0) return false;
    try {
      const receipt = await journal.append(encodeProgressRecord(progress), 'written');
      this.#progress.push(receipt); // only now: the list may have been replaced meanwhile
      return true;
    } catch (error) {
      onFault(error);
      return false;
    }
  }

  /** Keeps all progress that the store does not have, in place of earlier records. */
  async replaceProgress(progress: ReadonlyMap<string, Progress>): Promise<void> {
    const dropEarlier = this.markProgress();
    if (await this.addProgress(progress)) dropEarlier();
  }

  /** Returns what drops the progress kept so far, once the store has it. */
  markProgress(): () => void {
    const kept = [...this.#progress];
    return () => {
      for (const receipt of kept) receipt.confirm();
      this.#progress = this.#progress.filter((receipt) => !kept.includes(receipt));
    };
  }

  async repair(): Promise<void> {
    await this.#options.journal?.repair();
  }
}
