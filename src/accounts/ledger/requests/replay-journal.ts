import { type JsonObject, type JsonValue, append, isJsonObject, parseJsonObject } from '#base';
import type { Leftover } from '#storage';
import { readBootId } from '../store/boot-id.ts';
import type { OwnerStore } from '../store/owner-store.ts';
import { isStoreDown } from '../store/store-fault.ts';
import { type RecordKind, kindOf } from '../store/store-codec.ts';

interface JournalReplayOptions {
  store: OwnerStore;
  /** Writes a settlement that was encoded before, perhaps by another process. */
  settleEncoded(encoded: object): Promise<void>;
  /** No other process uses the database: the owners of all records are gone. */
  exclusive: boolean;
  onFault(error: unknown): void;
}

/** A record of the journal, parsed. */
interface Entry {
  leftover: Leftover;
  record: JsonObject;
}

const REPLAYED_AT_ONCE = 1_000;

/**
 * Writes the records that earlier processes left in the journal. Each takes effect once, even if it was written before.
 * Requests on the leases of a process wait until it is certainly gone, because it may share the folder.
 */
export class JournalReplay {
  readonly #options: JournalReplayOptions;
  /** Requests on leases, and the processes of the leases. */
  #opened: Entry[] = [];
  #owners: Entry[] = [];
  /** The last report of each of these requests. */
  #reported: JsonObject = {};

  constructor(options: JournalReplayOptions) {
    this.#options = options;
  }

  async replay(leftovers: readonly Leftover[]): Promise<void> {
    const { settleEncoded, onFault } = this.#options;
    const entries: Record<RecordKind, Entry[]> = { settlement: [], opened: [], progress: [], owner: [] };
    for (const leftover of leftovers) {
      const record = parseJsonObject(leftover.text);
      if (record) entries[kindOf(leftover.text)].push({ leftover, record });
      else onFault(new Error('a record of the journal cannot be read'));
    }
    for (const { record } of entries.progress) this.#recordProgress(toObject(record['progress']));
    append(this.#opened, entries.opened);
    append(this.#owners, entries.owner);
    await this.#each(entries.settlement, ({ record }) => settleEncoded(record));
    await this.resume();
    await this.#restoreProgress(entries.progress);
  }

  /** Files are not in the order of time, so the highest cost counts: a stream never gets cheaper. */
  #recordProgress(progress: JsonObject): void {
    for (const [id, report] of Object.entries(progress))
      if (costOf(report) >= costOf(this.#reported[id])) this.#reported[id] = report;
  }

  /** In one statement: several at once would skip the holds that another one changes. */
  async #restoreProgress(entries: readonly Entry[]): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const confirm = (): void => {
      for (const { leftover } of entries) leftover.confirm();
    };
    const all = { record: first.record, leftover: { ...first.leftover, confirm } };
    await this.#each([all], () => this.#options.store.restoreProgress(this.#reported));
  }

  /** Tries again what waits for the end of its process. */
  async resume(): Promise<void> {
    if (this.#opened.length + this.#owners.length === 0) return;
    const { store, exclusive } = this.#options;
    const epochs = [...this.#opened.map(ownerOfRequest), ...this.#owners.map(ownerOf)];
    const gone = new Set(await store.findGone([...new Set(epochs)], exclusive));
    const opened = new Set(this.#opened.filter((entry) => gone.has(ownerOfRequest(entry))));
    const owners = new Set(this.#owners.filter((entry) => gone.has(ownerOf(entry))));
    await this.#estimate([...opened]);
    await this.#returnLeases([...owners]);
    this.#opened = this.#opened.filter((entry) => !opened.has(entry));
    this.#owners = this.#owners.filter((entry) => !owners.has(entry));
  }

  /** Settles requests without a hold of their own at their last reported cost; the sweep closes those with one. */
  async #estimate(opened: readonly Entry[]): Promise<void> {
    const { store, settleEncoded } = this.#options;
    const known = new Set(opened.length === 0 ? [] : await store.findKnown(opened.map(idOf)));
    await this.#each(opened, async (entry) => {
      const id = idOf(entry);
      if (known.has(id)) return;
      await settleEncoded({ ...toObject(entry.record['opened']), ...toObject(this.#reported[id]) });
    });
  }

  /**
   * After a power failure, or next to damage, records may be missing: the rest of a lease is then lost instead of
   * returned.
   */
  async #returnLeases(owners: readonly Entry[]): Promise<void> {
    const { store } = this.#options;
    const boot = readBootId();
    const whole = owners.filter(
      ({ record, leftover }) => record['boot'] === boot && !leftover.isBesideDamage,
    );
    if (whole.length > 0) await store.returnLeases(whole.map(ownerOf));
    for (const { leftover } of owners) leftover.confirm();
  }

  async #each(entries: readonly Entry[], write: (entry: Entry) => Promise<void>): Promise<void> {
    const one = async (entry: Entry): Promise<void> => {
      try {
        await write(entry);
        entry.leftover.confirm();
      } catch (error) {
        if (isStoreDown(error)) throw error;
        this.#options.onFault(error);
      }
    };
    for (let at = 0; at < entries.length; at += REPLAYED_AT_ONCE)
      await Promise.all(entries.slice(at, at + REPLAYED_AT_ONCE).map(one));
  }
}

const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
const costOf = (report: JsonValue | undefined): bigint => BigInt(toText(toObject(report)['c']) || '0');
const idOf = ({ record }: Entry): string => toText(toObject(record['opened'])['id']);
const ownerOfRequest = ({ record }: Entry): string => toText(toObject(record['opened'])['w']);
const ownerOf = ({ record }: Entry): string => toText(record['owner']);
