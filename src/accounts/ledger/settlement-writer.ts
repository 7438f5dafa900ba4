import type { Clock } from '#base';
import type { Backlog } from './backlog.ts';
import type { Settlement } from './ledger.ts';
import type { LedgerStore } from './ledger-store.ts';
import { RetryingWriter } from './retrying-writer.ts';
import { SETTLE_LIMIT_MS, isStoreDown } from './store-fault.ts';
import { type OwnedSettlement, encodeSettlement } from './wire.ts';

interface SettlementWriterOptions {
  store: LedgerStore;
  backlog: Backlog;
  clock: Clock;
  /** Whether there is a journal to write to if the database takes too long. */
  hasJournal: boolean;
  onWritten(owned: OwnedSettlement): void;
}

/** Writes settlements to the database, or to the journal while it is unavailable. */
export class SettlementWriter {
  readonly #options: SettlementWriterOptions;
  readonly #writer: RetryingWriter<OwnedSettlement, undefined>;
  readonly #pending = new Map<string, Promise<void>>();

  constructor(options: SettlementWriterOptions) {
    const { clock, hasJournal, store, onWritten } = options;
    this.#options = options;
    this.#writer = new RetryingWriter({
      clock,
      ...(hasJournal && { limitMs: SETTLE_LIMIT_MS }),
      write: (call) => store.settle(call),
      onAnswer: onWritten,
    });
  }

  /** The write of this request's settlement that is under way. */
  findPending(requestId: string): Promise<void> | undefined {
    return this.#pending.get(requestId);
  }

  write(owned: OwnedSettlement): Promise<void> {
    const writing = this.#write(owned);
    this.#pending.set(owned.settlement.requestId, writing);
    return writing;
  }

  /** Writes one from the journal. */
  async retry(owned: OwnedSettlement): Promise<void> {
    await this.#options.store.settleEncoded(encodeSettlement(owned));
    this.#options.onWritten(owned);
  }

  async #write(owned: OwnedSettlement): Promise<void> {
    try {
      await this.#writer.send(owned);
    } catch (error) {
      if (!isStoreDown(error) || !(await this.#options.backlog.keep(owned))) throw error;
    } finally {
      this.#pending.delete(owned.settlement.requestId);
    }
  }
}

/** A negative cost would credit an account: it counts as zero, and the row is marked as estimated. */
export function withoutNegativeCost(settlement: Settlement): Settlement {
  if (settlement.customer >= 0n && settlement.provider >= 0n) return settlement;
  const floor = (amount: bigint): bigint => (amount < 0n ? 0n : amount);
  return {
    ...settlement,
    customer: floor(settlement.customer),
    provider: floor(settlement.provider),
    estimated: true,
  };
}
