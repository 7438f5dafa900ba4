import type { Clock } from '#base';
import type { Database } from '#storage';
import type { Caller } from '../caller.ts';
import { type Lru, createLru } from '#base';
import { type FoundBy, type KeyFacts, readKeyFacts } from './key-facts.ts';
import { Batcher } from '../ledger/store/batcher.ts';
import { createStoreTooSlow, isStoreDown, withDeadline } from '../ledger/store/store-fault.ts';

interface Entry<Facts> {
  facts: Facts;
  readAtMs: number;
  /** The number of changes before it was read. */
  changes: number;
}

/** The source of a kind of credential. */
export interface SnapshotSource<Facts> {
  /** The facts of each digest, in order. */
  read(digests: readonly string[]): Promise<(Facts | undefined)[]>;
  /** The row of a table whose changes may invalidate the facts, by its id. */
  idIn(facts: Facts, table: string): string | undefined;
}

interface SnapshotOptions {
  clock: Clock;
  /** How long a request waits for the database. */
  storeLimitMs: number;
}

const FRESH_MS = 30_000;
const REFRESH_BEHIND_MS = 60_000;
const STALE_IF_DOWN_MS = 600_000;
/** While the store is down, it is not asked more often for facts that are cached. */
const ASK_AGAIN_MS = 2_000;
const UNKNOWN_MS = 5_000;
const MOST_KEYS = 20_000;
const MOST_UNKNOWN = 10_000;
const READS_AT_MOST = 3;
/** After so many, all entries are compared, and the changes are dropped. */
const MOST_CHANGES = 2_000;

/**
 * The credentials this process has seen, by their whole digest. A cached key costs no query; changes arrive by
 * notification, and every entry is reread after 30 s in case one was missed. While the store is down, entries are
 * valid for 10 minutes.
 */
export class KeySnapshot<Facts extends object = KeyFacts> {
  readonly #clock: Clock;
  readonly #storeLimitMs: number;
  readonly #source: SnapshotSource<Facts>;
  readonly #reads: Batcher<string, Facts | undefined>;
  readonly #known = createLru<string, Entry<Facts>>(MOST_KEYS);
  readonly #unknown: Lru<string, true>;
  readonly #pending = new Map<string, Promise<Facts | undefined>>();
  /** The changes since all entries were last compared with them: the number of the last change by table and id. */
  readonly #changed = new Map<string, Map<string, number>>();
  #compared = 0;
  #changes = 0;
  #downUntilMs = -Infinity;

  constructor(source: SnapshotSource<Facts>, { clock, storeLimitMs }: SnapshotOptions) {
    this.#clock = clock;
    this.#storeLimitMs = storeLimitMs;
    this.#source = source;
    this.#unknown = createLru(MOST_UNKNOWN, {
      ttl: UNKNOWN_MS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    });
    this.#reads = new Batcher({
      run: (digests) => source.read(digests),
      isPoison: () => false,
      createTooSlow: createStoreTooSlow,
    });
  }

  /** The facts, synchronously if they are fresh enough, otherwise after a read. */
  find(digest: string): Facts | undefined | Promise<Facts | undefined> {
    const entry = this.#findUnchanged(digest);
    const ageMs = entry === undefined ? Infinity : this.#clock.monotonicMs() - entry.readAtMs;
    if (entry !== undefined && ageMs < REFRESH_BEHIND_MS) {
      if (ageMs >= FRESH_MS) this.#readOnce(digest).catch(() => undefined);
      return entry.facts;
    }
    if (entry === undefined && this.#unknown.has(digest)) return undefined;
    const stale = ageMs < STALE_IF_DOWN_MS ? entry?.facts : undefined;
    if (stale !== undefined && this.#clock.monotonicMs() < this.#downUntilMs) return stale;
    return this.#readOnce(digest).catch((error: unknown) => {
      if (!isStoreDown(error)) throw error;
      this.#downUntilMs = this.#clock.monotonicMs() + ASK_AGAIN_MS;
      if (stale === undefined) throw error;
      return stale;
    });
  }

  /** Invalidates the entries that a change of `table:id` may affect. */
  invalidate(change: string): void {
    this.#changes += 1;
    this.#unknown.clear();
    const [table = '', id = ''] = change.split(':', 2);
    const ids = this.#changed.get(table) ?? new Map<string, number>();
    this.#changed.set(table, ids.set(id, this.#changes));
    if (this.#changes - this.#compared < MOST_CHANGES) return;
    for (const [digest, entry] of this.#known.entries())
      if (this.#hasChanged(entry)) this.#known.delete(digest);
    this.#changed.clear();
    this.#compared = this.#changes;
  }

  /** Entries are compared when they are used: thousands of changes may arrive at once, and a walk through all entries takes 15 ms. */
  #findUnchanged(digest: string): Entry<Facts> | undefined {
    const entry = this.#known.get(digest);
    if (entry === undefined || !this.#hasChanged(entry)) return entry;
    this.#known.delete(digest);
    return undefined;
  }

  #hasChanged({ facts, changes }: Entry<Facts>): boolean {
    for (const [table, ids] of this.#changed) {
      const id = this.#source.idIn(facts, table);
      if (id !== undefined && (ids.get(id) ?? 0) > changes) return true;
    }
    return false;
  }

  clear(): void {
    this.#changes += 1;
    this.#unknown.clear();
    this.#known.clear();
  }

  #readOnce(digest: string): Promise<Facts | undefined> {
    const pending = this.#pending.get(digest);
    if (pending !== undefined) return pending;
    const read = this.#read(digest).finally(() => this.#pending.delete(digest));
    this.#pending.set(digest, read);
    return read;
  }

  async #read(digest: string): Promise<Facts | undefined> {
    for (let reads = 1; ; reads += 1) {
      const changes = this.#changes;
      const reading = this.#reads.submit(digest, { clock: this.#clock, onAnswer: () => undefined });
      const facts = await withDeadline(reading, this.#storeLimitMs);
      if (changes === this.#changes) this.#keep(digest, facts);
      // A change was notified during the read, so the read may be the older of the two.
      if (changes === this.#changes || reads === READS_AT_MOST) return facts;
    }
  }

  #keep(digest: string, facts: Facts | undefined): void {
    if (facts === undefined) {
      this.#known.delete(digest);
      this.#unknown.set(digest, true);
    } else {
      this.#known.set(digest, { facts, readAtMs: this.#clock.monotonicMs(), changes: this.#changes });
    }
  }
}

/** The regular keys and session tokens of a database, or the keys by their ids. */
export function createKeySource(
  database: Database,
  clock: Clock,
  by: FoundBy = 'digest',
): SnapshotSource<KeyFacts> {
  return {
    read: (wanted) => readKeyFacts({ database, clock, by }, wanted),
    idIn: ({ caller }, table) => idIn(caller, table),
  };
}

function idIn(caller: Caller, table: string): string | undefined {
  switch (table) {
    case 'api_key':
      return caller.keyId;
    case 'project':
      return caller.projectId;
    case 'organization':
      return caller.organizationId;
    case 'member':
      return caller.memberId;
    case 'session_token':
      return caller.sessionTokenId;
    default:
      return undefined;
  }
}
