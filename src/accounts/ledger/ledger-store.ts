import type { Database } from '#storage';
import { type Batcher, createBatcher } from './batcher.ts';
import type { LedgerDifference, OutcomeRow, Progress } from './ledger.ts';
import { encodeStorableJson } from './storable-json.ts';
import { createStoreTooSlow, isPoison } from './store-fault.ts';
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

/** An owner whose heartbeat is older than this is gone. */
const OWNER_GONE_AFTER = '30 seconds';

/** The SQL functions of the ledger; concurrent calls of one kind travel in one statement. */
export class LedgerStore {
  readonly #database: Database;
  readonly #reserves: Batcher<ReserveTry, ReserveOutcome>;
  readonly #settlements: Batcher<OwnedSettlement, undefined>;
  readonly #rows: Batcher<OutcomeRow, undefined>;
  #epoch: string | undefined;
  #note = '';

  constructor(database: Database) {
    this.#database = database;
    const common = { isPoison, createOverflow: createStoreTooSlow };
    this.#reserves = createBatcher({ ...common, run: (tries) => this.#runReserves(tries) });
    this.#settlements = createBatcher({ ...common, run: (settlements) => this.#runSettlements(settlements) });
    this.#rows = createBatcher({ ...common, run: (rows) => this.#runRows(rows) });
  }

  reserve(attempt: ReserveTry): Promise<ReserveOutcome> {
    return this.#reserves.submit(attempt);
  }

  async settle(settlement: OwnedSettlement): Promise<void> {
    await this.#settlements.submit(settlement);
  }

  async record(row: OutcomeRow): Promise<void> {
    await this.#rows.submit(row);
  }

  async drain(): Promise<void> {
    await Promise.all([this.#reserves.drain(), this.#settlements.drain(), this.#rows.drain()]);
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

  async release(requestIds: readonly string[]): Promise<void> {
    await this.#call('release', 'SELECT ledger_release($1, $2) AS value', [this.#epoch, [...requestIds]]);
  }

  /** Closes some of the holds whose owner is gone; gives their number. */
  async sweep(exclusive: boolean): Promise<number> {
    const values = [this.#epoch, exclusive, OWNER_GONE_AFTER];
    return (
      (await this.#call<number>('sweep', 'SELECT ledger_sweep($1, $2, $3::interval) AS value', values)) ?? 0
    );
  }

  async check(): Promise<LedgerDifference[]> {
    const { rows } = await this.#database.query<LedgerDifference>({ text: 'SELECT * FROM ledger_check()' });
    return rows;
  }

  async #runReserves(tries: readonly ReserveTry[]): Promise<ReserveOutcome[]> {
    const values = [this.#epoch, encodeStorableJson(tries.map(encodeTry))];
    const replies = await this.#call<ReserveReply[]>(
      'reserve',
      'SELECT ledger_reserve($1, $2) AS value',
      values,
    );
    return (replies ?? []).map(decodeReply);
  }

  async #runSettlements(settlements: readonly OwnedSettlement[]): Promise<undefined[]> {
    const values = [encodeStorableJson(settlements.map(encodeSettlement))];
    await this.#call('settle', 'SELECT ledger_settle($1) AS value', values);
    return settlements.map(() => undefined);
  }

  async #runRows(rows: readonly OutcomeRow[]): Promise<undefined[]> {
    await this.#call('record', 'SELECT request_log_store($1) AS value', [encodeStorableJson(rows)]);
    return rows.map(() => undefined);
  }

  async #call<Value>(name: string, text: string, values: unknown[]): Promise<Value | undefined> {
    const statement = { name: `ledger_${name}`, text, values };
    const { rows } = await this.#database.query<{ value: Value }>(statement);
    return rows[0]?.value;
  }
}
