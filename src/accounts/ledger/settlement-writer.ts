import type { Backlog } from './backlog.ts';
import type { Settlement } from './ledger.ts';
import type { StepWriter } from './step-writer.ts';
import { isStoreDown } from './store-fault.ts';
import { type OwnedSettlement, encodeSettlement } from './wire.ts';

interface SettlementWriterOptions {
  steps: StepWriter;
  backlog: Backlog;
  own(settlement: Settlement): OwnedSettlement;
  onWritten(owned: OwnedSettlement): void;
}

/** Settles requests with a hold of their own: in the database, or in the journal while it is unavailable. */
export class SettlementWriter {
  readonly #options: SettlementWriterOptions;
  readonly #pending = new Map<string, Promise<void>>();

  constructor(options: SettlementWriterOptions) {
    this.#options = options;
  }

  /** The first settlement of a request counts, also where it failed. */
  settle(settlement: Settlement): Promise<void> {
    const { requestId } = settlement;
    const { backlog } = this.#options;
    const pending = this.#pending.get(requestId);
    if (pending !== undefined) return pending;
    if (backlog.isSafe(requestId)) return Promise.resolve();
    const writing = this.#write(this.#options.own(backlog.find(requestId) ?? settlement));
    this.#pending.set(requestId, writing);
    return writing;
  }

  /** Writes one that could not be written at first. */
  async retry(settlement: Settlement): Promise<void> {
    const { steps, own, onWritten } = this.#options;
    const owned = own(settlement);
    await steps.settleEncoded(encodeSettlement(owned));
    onWritten(owned);
  }

  async #write(owned: OwnedSettlement): Promise<void> {
    const { steps, backlog } = this.#options;
    try {
      await steps.settle(owned);
    } catch (error) {
      if (!isStoreDown(error) || !(await backlog.keep(owned))) throw error;
    } finally {
      this.#pending.delete(owned.settlement.requestId);
    }
  }
}
