import type { Database } from '#storage';
import { type Tenants, within } from './log-filter.ts';
import type { LogRow } from './log-row.ts';
import { systemClock } from '#base';
import { matchesFilter } from './matches-filter.ts';
import type { RequestFilter } from './request-filters.ts';
import { readLastPosition, readPositions } from './settled-rows.ts';

/** Who follows new rows. */
export interface LogReader {
  filter: RequestFilter;
  take(row: LogRow): void;
  /** More rows came at once than are read; some were left out. */
  skip(): void;
  /** The database could not be read: nothing follows any more. */
  fail(): void;
}

const EVERY_MS = 500;
const MOST_ROWS = 500;
/** How long a row with an earlier position may take to be committed and still be seen. */
const PATIENCE_MS = 5_000;

/** New rows of all gateways for any number of readers, with one reading of the database for all. */
export class LogFeed {
  readonly #database: Database;
  /** Readers with their filters, restricted to the rows that each may see. */
  readonly #readers = new Map<LogReader, RequestFilter>();
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #last = 0n;
  /** While the position of the first reader is read. */
  #beginning: Promise<void> | undefined;
  /** Positions whose rows have not been seen yet, with when they were noticed. */
  readonly #missing = new Map<bigint, number>();

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /** Rows that become final from now on; returns how to stop. */
  async follow(reader: LogReader, tenants: Tenants): Promise<() => void> {
    if (this.#readers.size === 0)
      this.#beginning ??= this.#begin().finally(() => (this.#beginning = undefined));
    await this.#beginning;
    this.#readers.set(reader, within(reader.filter, tenants));
    this.#timer ??= setInterval(() => void this.#look(), EVERY_MS).unref();
    return () => this.#leave(reader);
  }

  async #begin(): Promise<void> {
    this.#missing.clear();
    this.#last = await readLastPosition(this.#database);
  }

  #leave(reader: LogReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await this.#read();
    } catch {
      for (const reader of this.#readers.keys()) {
        this.#leave(reader);
        reader.fail();
      }
    } finally {
      this.#isReading = false;
    }
  }

  async #read(): Promise<void> {
    this.#expectUpTo(await readLastPosition(this.#database));
    if (this.#missing.size === 0) return;
    for (const { position, row } of await readPositions(this.#database, [...this.#missing.keys()])) {
      this.#missing.delete(position);
      for (const [reader, filter] of this.#readers) if (matchesFilter(row, filter)) reader.take(row);
    }
  }

  #expectUpTo(last: bigint): void {
    const now = systemClock.monotonicMs();
    for (const [position, at] of this.#missing) if (now - at > PATIENCE_MS) this.#missing.delete(position);
    const most = BigInt(MOST_ROWS);
    if (last - this.#last > most) {
      this.#missing.clear();
      this.#last = last - most;
      for (const reader of this.#readers.keys()) reader.skip();
    }
    for (let position = this.#last + 1n; position <= last; position += 1n) this.#missing.set(position, now);
    this.#last = last;
  }
}
