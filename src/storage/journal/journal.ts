import { createRandomText, reasonOf } from '#base';
import type { Log } from '#telemetry';
import { type JournalFiles, openJournalFiles } from './journal-files.ts';
import { emptySegment, openSegment } from './open-segment.ts';
import { encodeRecord } from './record-codec.ts';
import { nameDamaged } from './segment-name.ts';
import { SegmentWriter } from './segment-writer.ts';
import { type Segment, claimSegments, createSegment, markConfirmed } from './segments.ts';

/** A record that stays on disk until it is confirmed. */
export interface Receipt {
  confirm(): void;
}

/** A record that an earlier process left behind. */
export interface Leftover extends Receipt {
  text: string;
  /** Whether other records in the same place are damaged; which process wrote those is unknown. */
  isBesideDamage: boolean;
}

export interface JournalOptions {
  folder: string;
  /** The installation the records belong to; those of another one are left alone. */
  installation: string;
  log: Log;
  /** Maximum size of all unconfirmed records; beyond it, appending fails. */
  mostBytes?: number;
  /** Replaced in tests to inject faults. */
  files?: JournalFiles;
}

/** What an appended record survives: `written` a crash of this process, `durable` a power failure too. */
export type Durability = 'written' | 'durable';

interface QueuedRecord {
  record: Buffer;
  durability: Durability;
  resolve(receipt: Receipt): void;
  reject(error: unknown): void;
}

const MOST_BYTES = 64 * 2 ** 20;
const SEGMENT_BYTES = 4 * 2 ** 20;
const ROOMY_SHARE = 4;
/** Confirmations are marked in their files after this time, for readers of the files. */
const MARK_WITHIN_MS = 250;

/** The folder of the journal is not writable. */
export class JournalUnavailable extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'JournalUnavailable';
  }
}

/**
 * A write-ahead file for records that must not be lost while their destination is unavailable. Written by one process,
 * in segments, each removed when all its records are confirmed; until then it notes which are. A file that failed once is never written again.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #files: JournalFiles;
  readonly #mostBytes: number;
  /** Names unique to this process, so that several can share the folder. */
  readonly #process = createRandomText(12);
  #serial = 0;
  readonly #writer: SegmentWriter;
  readonly #unmarked = new Set<Segment>();
  #marking: NodeJS.Timeout | undefined;
  #bytes = 0;
  #queue: QueuedRecord[] = [];
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;
  #leftovers: Leftover[] = [];

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#files = options.files ?? openJournalFiles(options.folder);
    this.#mostBytes = options.mostBytes ?? MOST_BYTES;
    this.#writer = new SegmentWriter({
      ...options,
      files: this.#files,
      createName: () => this.#createName(),
      inTurn: (work) => this.#inTurn(work),
      onLost: (segment) => this.#subtract(segment),
      onAbandoned: async (segment) => {
        if (segment.unconfirmed === 0) await this.#remove(segment);
      },
    });
  }

  /** Takes over records of earlier processes and verifies that records can be written. */
  async open(): Promise<void> {
    try {
      await this.#files.makeFolder();
      await this.#claim();
      await this.#writer.open();
    } catch (error) {
      throw new JournalUnavailable(
        `${this.#options.folder} cannot be used (${reasonOf(error)}): records that the database cannot store at once are kept there. ` +
          'Make it readable and writable for this user, free some space, or name another folder with --data-dir.',
        error,
      );
    }
  }

  /** Records of earlier processes, each to be confirmed; returned once. */
  takeLeftovers(): Leftover[] {
    const leftovers = this.#leftovers;
    this.#leftovers = [];
    return leftovers;
  }

  /** Whether the next record is expected to fit. */
  get isReady(): boolean {
    return !this.#writer.hasFailed && !this.#isClosed && this.#bytes < this.#mostBytes;
  }

  /** The size of the records that the destination does not have yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether it is far from full: less important records are only accepted then. */
  get isRoomy(): boolean {
    return this.isReady && this.#bytes < this.#mostBytes / ROOMY_SHARE;
  }

  /** The records of one turn of the event loop share one write and one sync. */
  append(text: string, durability: Durability = 'durable'): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ record: encodeRecord(text), durability, resolve, reject });
      if (this.#queue.length === 1) setImmediate(() => void this.#inTurn(() => this.#commit()));
    });
  }

  /** Appends durably to a file of its own, so that a long-lived record does not keep others. */
  async appendAlone(text: string): Promise<Receipt> {
    if (this.#isClosed) throw new JournalUnavailable('the journal is closed');
    const name = this.#createName();
    const record = encodeRecord(text);
    const { installation } = this.#options;
    const { file } = await openSegment(this.#files, { name, installation, record });
    await file.close();
    this.#bytes += record.length;
    return this.#createReceipt({ ...createSegment(name), unconfirmed: 1, bytes: record.length }, 0);
  }

  /** Tries a new file after a failure. */
  async repair(): Promise<void> {
    if (this.#writer.hasFailed && !this.#isClosed) await this.#inTurn(() => this.#writer.reopen());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#inTurn(async () => {
      await this.#commit();
      await this.#markAll();
      this.#isClosed = true;
      clearTimeout(this.#marking);
      const segment = await this.#writer.finish();
      if (segment?.unconfirmed === 0) await this.#remove(segment);
    });
  }

  async #claim(): Promise<void> {
    const { installation, log } = this.#options;
    const claimed = await claimSegments(this.#files, {
      installation,
      log,
      createName: () => this.#createName(),
    });
    const isBesideDamage = claimed.some(({ damaged }) => damaged > 0);
    for (const segment of claimed) {
      this.#bytes += segment.bytes;
      for (const [place, text] of segment.records)
        this.#leftovers.push({ text, isBesideDamage, ...this.#createReceipt(segment, place) });
    }
  }

  /** Writes all queued records at once. */
  async #commit(): Promise<void> {
    const group = this.#queue;
    if (group.length === 0) return;
    this.#queue = [];
    try {
      const bytes = Buffer.concat(group.map(({ record }) => record));
      this.#checkRoom(bytes.length);
      const isDurable = group.some(({ durability }) => durability === 'durable');
      const segment = await this.#writer.append(bytes, { count: group.length, isDurable });
      let place = segment.bytes;
      this.#grow(segment, bytes.length);
      for (const { record, resolve } of group) {
        resolve(this.#createReceipt(segment, place));
        place += record.length;
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  #checkRoom(bytes: number): void {
    if (this.#isClosed) throw new JournalUnavailable('the journal is closed');
    if (this.#bytes + bytes > this.#mostBytes)
      throw new JournalUnavailable(`the journal is full: ${this.#bytes} bytes wait for the database`);
  }

  #grow(segment: Segment, bytes: number): void {
    segment.bytes += bytes;
    this.#bytes += bytes;
    if (segment.bytes >= SEGMENT_BYTES) void this.#inTurn(() => this.#retire(segment));
  }

  #createReceipt(segment: Segment, place: number): Receipt {
    let isConfirmed = false;
    return {
      confirm: () => {
        if (isConfirmed) return;
        isConfirmed = true;
        segment.unconfirmed -= 1;
        if (segment.unconfirmed === 0) void this.#inTurn(() => this.#retire(segment));
        else this.#markSoon(segment, place);
      },
    };
  }

  #markSoon(segment: Segment, place: number): void {
    segment.confirmed.push(place);
    this.#unmarked.add(segment);
    this.#marking ??= setTimeout(() => {
      this.#marking = undefined;
      void this.#inTurn(() => this.#markAll());
    }, MARK_WITHIN_MS).unref();
  }

  async #markAll(): Promise<void> {
    const segments = [...this.#unmarked];
    this.#unmarked.clear();
    for (const segment of segments) {
      try {
        this.#grow(segment, await markConfirmed(this.#files, segment));
      } catch (error) {
        const current = this.#writer.findCurrent(segment);
        if (current) await this.#writer.abandon(current, error);
      }
    }
  }

  /** A full segment takes no more records; one whose records are all confirmed is emptied or removed. */
  async #retire(segment: Segment): Promise<void> {
    if (this.#isClosed) {
      if (segment.unconfirmed === 0) await this.#remove(segment);
      return;
    }
    const current = this.#writer.findCurrent(segment);
    if (current) {
      if (current.bytes === 0 || (current.unconfirmed > 0 && current.bytes < SEGMENT_BYTES)) return;
      if (current.unconfirmed === 0 && (await emptySegment(current))) {
        current.confirmed.length = 0;
        this.#subtract(current);
        return;
      }
      await this.#writer.finish();
      await this.#writer.open().catch(() => undefined); // already logged; the next record or `repair` tries again
    }
    if (segment.unconfirmed === 0) await this.#remove(segment);
  }

  async #remove(segment: Segment): Promise<void> {
    this.#subtract(segment);
    const { log } = this.#options;
    const work =
      segment.damaged > 0
        ? this.#files.rename(segment.name, nameDamaged(segment.name))
        : this.#files.remove(segment.name);
    await work.catch((error: unknown) =>
      log.warn({ file: segment.name, reason: reasonOf(error) }, 'a file of the journal could not be removed'),
    );
  }

  /** Its bytes no longer wait for anything. */
  #subtract(segment: Segment): void {
    this.#bytes -= segment.bytes;
    segment.bytes = 0;
  }

  #createName(): string {
    return `${this.#process}-${(this.#serial += 1)}.journal`;
  }

  /** Runs one task at a time; rejections are handled. */
  #inTurn(work: () => Promise<unknown>): Promise<void> {
    const done = this.#turn.then(work).then(() => undefined);
    this.#turn = done.catch(() => undefined);
    return this.#turn;
  }
}
