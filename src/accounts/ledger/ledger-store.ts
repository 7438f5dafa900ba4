import type { JsonValue } from '#base';
import type { Database, Queryable } from '#storage';
import { type Batcher, type Call, createBatcher } from './batcher.ts';
import type { WindowClock } from './window-clock.ts';
import type { LedgerDifference, OutcomeRow, Progress } from './ledger.ts';
import { checkBooks } from './check-books.ts';
import { encodeStorableJson } from './storable-json.ts';
import { createStoreTooSlow, isPoison, isStoreDown } from './store-fault.ts';
import {
  type OwnedSettlement,
  type ReserveOutcome,
  type ReserveReply,
  type ReserveTry,
  decodeReply,
  encodeProgress,
  encodeSettlement,
  encodeTry,
} from './wire.ts';

/** An owner whose heartbeat is older has crashed. */
const OWNER_GONE_AFTER = '30 seconds';

/**
 * If the database's clock was set back, dead owners must not count as running until it catches up; running ones renew
 * their heartbeat before that.
 */
const RECALL_OWNERS = `
  UPDATE owner SET heartbeat_at = clock_timestamp() WHERE heartbeat_at > clock_timestamp() + interval '5 seconds'`;

const RESTORE_PROGRESS = `
  WITH known AS MATERIALIZED (
    SELECT h.request_id, p.value FROM jsonb_each($1::jsonb) AS p (key, value) JOIN hold h ON h.request_id = p.key
    WHERE h.progress IS NULL OR (h.progress ->> 'c')::numeric <= (p.value ->> 'c')::numeric
    FOR UPDATE OF h SKIP LOCKED
  )
  UPDATE hold h SET progress = known.value FROM known WHERE h.request_id = known.request_id`;

/** More than open pages and write-ahead segments have room for, so that it fails on a full disk. */
const NEED_SPACE = `
  CREATE TEMPORARY TABLE ledger_space ON COMMIT DROP AS SELECT md5(n::text) AS filler FROM generate_series(1, 20000) AS n`;

/** A hold to create or to resolve. */
type Step = ReserveTry | OwnedSettlement | { encoded: object };

/** The SQL functions of the ledger; concurrent holds and settlements share one statement. */
export class LedgerStore {
  readonly #database: Database;
  readonly #windowClock: WindowClock | undefined;
  readonly #steps: Batcher<Step, ReserveOutcome | undefined>;
  readonly #rows: Batcher<OutcomeRow, undefined>;
  #epoch: string | undefined;
  #note = '';
  /** The last write failed because the server could not write. */
  #isDoubtful = false;

  constructor(database: Database, windowClock?: WindowClock) {
    this.#database = database;
    this.#windowClock = windowClock;
    const common = { isPoison, createOverflow: createStoreTooSlow };
    this.#steps = createBatcher({ ...common, run: (steps) => this.#runSteps(steps) });
    this.#rows = createBatcher({ ...common, run: (rows) => this.#runRows(rows) });
  }

  reserve(call: Call<ReserveTry, ReserveOutcome>): void {
    this.#steps.enter(call);
  }

  settle(call: Call<OwnedSettlement, undefined>): void {
    this.#steps.enter(call);
  }

  /** Settles what was encoded before, perhaps by another process. */
  async settleEncoded(encoded: object): Promise<void> {
    await this.#steps.submit({ encoded });
  }

  async record(row: OutcomeRow): Promise<void> {
    await this.#rows.submit(row);
  }

  async entrust(transaction: Queryable, requestId: string): Promise<void> {
    await transaction.query({ text: 'SELECT ledger_move_to_job($1, $2)', values: [this.#epoch, requestId] });
  }

  async resolve(transaction: Queryable, settlement: OwnedSettlement): Promise<void> {
    const text = encodeStorableJson([encodeSettlement(settlement)]);
    const values = [text, this.#windowClock?.now() ?? null];
    await transaction.query({ text: 'SELECT ledger_settle($1, $2)', values });
  }

  /** Throws `store_unavailable` if the database answers but cannot write; checks only after a failed write. */
  async checkWritable(): Promise<void> {
    if (!this.#isDoubtful) return;
    const asked = this.#database.transaction((client) => client.query({ text: NEED_SPACE }));
    await asked.catch((error: unknown) => {
      if (isStoreDown(error)) throw error; // a role that may not create temporary tables proves nothing
    });
    this.#isDoubtful = false;
  }

  async drain(): Promise<void> {
    await Promise.all([this.#steps.drain(), this.#rows.drain()]);
  }

  async createOwner(note: string): Promise<void> {
    this.#note = note;
    this.#epoch = await this.#call(
      'own',
      'INSERT INTO owner (note) VALUES ($1) RETURNING epoch::text AS value',
      [note],
    );
  }

  async removeOwner(): Promise<void> {
    await this.#call('disown', 'DELETE FROM owner WHERE epoch = $1', [this.#epoch]);
  }

  async beat(progress: ReadonlyMap<string, Progress>): Promise<void> {
    const text = encodeStorableJson(encodeProgress(progress));
    await this.#call('beat', 'SELECT ledger_beat($1, $2, $3) AS value', [this.#epoch, this.#note, text]);
  }

  /** Restores progress that its process could not send, for the sweep. The store may already have later figures. */
  async restoreProgress(encoded: JsonValue): Promise<void> {
    await this.#call('restore_progress', RESTORE_PROGRESS, [encodeStorableJson(encoded)]);
  }

  async release(requestIds: readonly string[]): Promise<void> {
    await this.#call('release', 'SELECT ledger_release($1, $2) AS value', [this.#epoch, [...requestIds]]);
  }

  /** Closes some of the holds whose owner has crashed; returns their number. */
  async sweep(exclusive: boolean): Promise<number> {
    const values = [this.#epoch, exclusive, OWNER_GONE_AFTER];
    if (!exclusive) await this.#call('recall', RECALL_OWNERS, []);
    return (
      (await this.#call<number>('sweep', 'SELECT ledger_sweep($1, $2, $3::interval) AS value', values)) ?? 0
    );
  }

  check(): Promise<LedgerDifference[]> {
    return checkBooks(this.#database);
  }

  async #runSteps(steps: readonly Step[]): Promise<(ReserveOutcome | undefined)[]> {
    const settlements: object[] = [];
    const tries: object[] = [];
    for (const step of steps) {
      if ('request' in step) tries.push(encodeTry(step));
      else settlements.push('encoded' in step ? step.encoded : encodeSettlement(step));
    }
    const encode = (items: object[]) => (items.length === 0 ? null : encodeStorableJson(items));
    const replies = await this.#call<ReserveReply[]>('step', 'SELECT ledger_step($1, $2, $3, $4) AS value', [
      this.#epoch,
      encode(settlements),
      encode(tries),
      this.#windowClock?.now() ?? null,
    ]);
    const outcomes = (replies ?? []).map(decodeReply);
    if (outcomes.length !== tries.length) throw new Error('a step returned a different number of outcomes');
    let next = 0;
    return steps.map((step) => ('request' in step ? outcomes[next++] : undefined));
  }

  async #runRows(rows: readonly OutcomeRow[]): Promise<undefined[]> {
    await this.#call('record', 'SELECT request_log_store($1) AS value', [encodeStorableJson(rows)]);
    return rows.map(() => undefined);
  }

  async #call<Value>(name: string, text: string, values: unknown[]): Promise<Value | undefined> {
    const statement = { name: `ledger_${name}`, text, values };
    try {
      const { rows } = await this.#database.query<{ value: Value }>(statement);
      return rows[0]?.value;
    } catch (error) {
      this.#isDoubtful ||= isStoreDown(error);
      throw error;
    }
  }
}
