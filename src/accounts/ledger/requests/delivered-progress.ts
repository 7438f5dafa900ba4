import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#base';
import type { OwnerStore } from '../store/owner-store.ts';
import type { OutcomeRow, Progress } from '../ledger.ts';
import { isStoreDown } from '../store/store-fault.ts';

interface DeliveredProgressOptions {
  owners: Pick<OwnerStore, 'recordDelivered'>;
  clock: Pick<Clock, 'monotonicMs'>;
  onFault(error: unknown): void;
}

const EVERY_MS = 100;
/** Each open answer delays the next write by this, up to a second in all: thousands of them are a megabyte. */
const PAUSE_EACH_MS = 0.15;
const MOST_PAUSE_MS = 1_000;

/**
 * Keeps in the database what the open answers of this process have cost so far, for the process that closes them after a
 * crash: one update for all of them.
 */
export class DeliveredProgress {
  readonly #options: DeliveredProgressOptions;
  readonly #open = new Map<string, object>();
  #isChanged = false;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pausedUntilMs = -Infinity;

  constructor(options: DeliveredProgressOptions) {
    this.#options = options;
  }

  /** Delivered progress is in the database within a tenth of a second. */
  start(): void {
    this.#timer = setInterval(() => {
      if (this.#writing !== undefined || this.#options.clock.monotonicMs() < this.#pausedUntilMs) return;
      this.write().catch((error: unknown) => {
        if (!isStoreDown(error)) this.#options.onFault(error); // an outage is reported by the heartbeat
      });
    }, EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** `opened`: the row that is stored with the hold. */
  record(opened: OutcomeRow, { customer, provider, row }: Progress): void {
    const latest = { c: customer.toString(), p: provider.toString(), row: findChanges(opened, row) };
    this.#open.set(opened.requestId, latest);
    this.#isChanged = true;
  }

  discard(requestId: string): void {
    this.#isChanged = this.#open.delete(requestId) || this.#isChanged;
  }

  /**
   * Resolves once the database has all progress recorded so far. One write at a time; the next one makes up for a failed
   * one.
   */
  async write(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    if (!this.#isChanged) return;
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { clock, owners } = this.#options;
    const pauseMs = Math.min(PAUSE_EACH_MS * this.#open.size, MOST_PAUSE_MS);
    this.#isChanged = false;
    try {
      await owners.recordDelivered(Object.fromEntries(this.#open));
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
    this.#pausedUntilMs = clock.monotonicMs() + pauseMs;
  }
}

/** The members of a row that were not the same before. */
function findChanges(before: object, now: object): object {
  const known = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !isDeepStrictEqual(value, known.get(name))),
  );
}
