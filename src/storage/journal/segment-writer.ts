import { reasonOf } from '#base';
import type { Log } from '#telemetry';
import type { JournalFiles } from './journal-files.ts';
import { type OpenSegment, openSegment } from './open-segment.ts';
import type { Segment } from './segments.ts';

interface SegmentWriterOptions {
  files: JournalFiles;
  installation: string;
  log: Log;
  createName(): string;
  /** Runs one task of the journal at a time. */
  inTurn(work: () => Promise<unknown>): Promise<void>;
  /** Another process has taken the segment over, perhaps before it held the last records. */
  onLost(segment: Segment): void;
  /** A write or sync failed: the segment is closed and takes no more records. */
  onAbandoned(segment: Segment): Promise<void>;
}

/** The records of one write. */
export interface RecordGroup {
  count: number;
  /** Whether it must survive a power failure before it is acknowledged. */
  isDurable: boolean;
}

/** Records that are only written survive a power failure after this time. */
const SYNC_WITHIN_MS = 20;

/** Writes to the segment that takes new records, and replaces it when it failed. Its methods are called in turn. */
export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  #current: OpenSegment | undefined;
  #syncing: NodeJS.Timeout | undefined;
  #fault: unknown;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
  }

  /** Whether the last attempt to write failed. */
  get hasFailed(): boolean {
    return this.#fault !== undefined;
  }

  findCurrent(segment: Segment): OpenSegment | undefined {
    return this.#current === segment ? this.#current : undefined;
  }

  async open(): Promise<OpenSegment> {
    const { files, createName, installation, log } = this.#options;
    try {
      this.#current = await openSegment(files, { name: createName(), installation });
    } catch (error) {
      this.#report(error);
      throw error;
    }
    if (this.#fault !== undefined) log.info({}, 'the journal is writable again');
    this.#fault = undefined;
    return this.#current;
  }

  /** Opens a segment if there is none, because the last one failed. */
  async reopen(): Promise<void> {
    if (this.#current === undefined) await this.open();
  }

  /** Returns the segment that has the records: the next one if a process that started with this folder has taken over the last. */
  async append(bytes: Buffer, group: RecordGroup): Promise<OpenSegment> {
    const segment = this.#current ?? (await this.open());
    segment.unconfirmed += group.count;
    try {
      await segment.file.append(bytes);
      if (group.isDurable) await segment.file.sync();
      else this.#syncSoon(segment);
      if (segment.file.isInPlace()) return segment;
    } catch (error) {
      segment.unconfirmed -= group.count;
      await this.abandon(segment, error);
      throw error;
    }
    segment.unconfirmed -= group.count;
    this.#current = undefined;
    this.#options.onLost(segment);
    await segment.file.close();
    return this.append(bytes, group);
  }

  /** Closes the current segment, with all its records durable if the disk can. */
  async finish(): Promise<OpenSegment | undefined> {
    const segment = this.#current;
    this.#current = undefined;
    clearTimeout(this.#syncing);
    if (segment?.isUnsynced && segment.unconfirmed > 0)
      await segment.file.sync().catch((error: unknown) => {
        this.#report(error);
        segment.isBroken = true;
      });
    await segment?.file.close();
    return segment;
  }

  /** Never writes to it again: after a failed sync the state on disk is unknown. Its acknowledged records stay. */
  async abandon(segment: OpenSegment, error: unknown): Promise<void> {
    this.#report(error);
    segment.isBroken = true;
    this.#current = undefined;
    await segment.file.close().catch(() => undefined);
    await this.#options.onAbandoned(segment);
  }

  /** Runs alongside the next writes, which do not wait for it. */
  #syncSoon(segment: OpenSegment): void {
    if (segment.isUnsynced) return;
    segment.isUnsynced = true;
    this.#syncing = setTimeout(() => {
      segment.isUnsynced = false;
      if (this.#current !== segment) return;
      segment.file.sync().catch((error: unknown) =>
        this.#options.inTurn(async () => {
          if (this.#current === segment) await this.abandon(segment, error);
        }),
      );
    }, SYNC_WITHIN_MS);
    this.#syncing.unref();
  }

  #report(error: unknown): void {
    if (this.#fault === undefined)
      this.#options.log.error({ reason: reasonOf(error) }, 'the journal cannot be written');
    this.#fault = error;
  }
}
