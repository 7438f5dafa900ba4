import { type JsonValue, type PicoUsd, startDeadline } from '#base';
import type { Database, Queryable } from '#storage';
import { Batcher, type RepeatTerms } from './batcher.ts';
import type { RecurringLimit } from './recurring-limit.ts';
import { type MeterKind, type Subject, findMeterOwner } from './subject.ts';
import type { WindowClock } from './window-clock.ts';
import type { GrowRequest, OutcomeRow } from './ledger.ts';
import { encodeSettlements } from './encode-settlements.ts';
import { type LeaseReply, type Report, decodeLease, encodeReport } from './encode-report.ts';
import type { StoredLease } from './leases.ts';
import { encodeStorableJson } from './storable-json.ts';
import { STORE_LIMIT_MS, createStoreTooSlow, isPoison, isStoreDown } from './store-fault.ts';
import {
  type OwnedSettlement,
  type ReserveOutcome,
  type ReserveReply,
  type ReserveTry,
  decodeReply,
  encodeGrowth,
  encodeSettlement,
  encodeTry,
} from './store-codec.ts';

const WRITE_ANY = 'SELECT ledger_step($1, $2, $3, $4) AS value';
/** Fails as a whole if one of the holds is gone, or a row cannot be stored. */
const WRITE_HELD = 'SELECT ledger_ship($1, $2, $3, $4, $5, $6, $7) AS value';

/** An owner whose heartbeat is older has crashed. */
const OWNER_GONE_AFTER = '30 seconds';

/**
 * If the database's clock was set back, dead owners must not count as running until it catches up; running ones renew
 * their heartbeat before that.
 */
const RECALL_OWNERS = `
  UPDATE owner SET heartbeat_at = clock_timestamp() WHERE heartbeat_at > clock_timestamp() + interval '5 seconds'`;

/** With open holds it stays, as one that has crashed: the sweep needs what their answers have cost. */
const DISOWN = `
  WITH left_open AS (
    UPDATE owner SET heartbeat_at = 'epoch' WHERE epoch = $1 AND EXISTS (SELECT FROM hold WHERE owner_epoch = $1)
  )
  DELETE FROM owner WHERE epoch = $1 AND NOT EXISTS (SELECT FROM hold WHERE owner_epoch = $1)`;

/** Fails while another session has locked a table, and on a full disk: it needs more space than open pages and segments have. */
const NEED_TABLES_AND_SPACE = `
  DO $$ BEGIN
    PERFORM set_config('lock_timeout', '1s', true);
    LOCK TABLE ONLY meter, ONLY hold, ONLY ledger_entry, ONLY request_log IN ROW EXCLUSIVE MODE;
    CREATE TEMPORARY TABLE ledger_space ON COMMIT DROP AS SELECT md5(n::text) AS filler FROM generate_series(1, 20000) AS n;
  END $$`;

const FIND_GONE = `
  SELECT array_agg(e.epoch) AS value FROM unnest($1::text[]) AS e (epoch)
  WHERE $2 OR NOT EXISTS (
    SELECT FROM owner o WHERE o.epoch::text = e.epoch AND o.heartbeat_at > clock_timestamp() - $3::interval)`;

const FIND_KNOWN = `
  SELECT array_agg(request_id) AS value FROM (
    SELECT request_id FROM hold WHERE request_id = ANY ($1)
    UNION SELECT request_id FROM ledger_entry WHERE request_id = ANY ($1)
  ) AS known`;

/** The time since which another process has been asked, if it still is behind. */
const IS_BEHIND = `
  SELECT s.since::text AS value FROM COALESCE($4::timestamptz, clock_timestamp()) AS s (since)
  WHERE ledger_is_behind($1, $2, $3, s.since)`;

const FIND_PERIOD = `
  SELECT CASE $1 WHEN 'recurring' THEN (SELECT period FROM recurring_limit WHERE key_id = $2)
    WHEN 'member_recurring' THEN (SELECT recurring_period FROM member WHERE id = $2)
    ELSE (SELECT period FROM shared_limit WHERE subject_id = $2 AND kind = $1) END AS value`;

/** What processes ask each other: `return` with the name of some money, as `namesOf` gives it. */
type LeaseMessage = `return ${string}` | `returned ${string}` | 'report';

/** A hold to create, or to resolve. `encoded`: settled before, perhaps by another process. */
type Step = ReserveTry | OwnedSettlement | { encoded: object };

/** A request of a crashed process that was settled on a lease, and what it held of that. */
export interface AccountedRequest {
  lease: string;
  amount: string;
}

/** The SQL functions of the ledger. Concurrent calls of one kind share a statement; each may be repeated: it takes effect once. */
export class LedgerStore {
  readonly #database: Database;
  readonly #windowClock: WindowClock | undefined;
  readonly #steps: Batcher<Step, ReserveOutcome | undefined>;
  readonly #growths: Batcher<GrowRequest, ReserveOutcome>;
  readonly #rows: Batcher<OutcomeRow, undefined>;
  #epoch: string | undefined;
  #note = '';
  /** The last write failed because the server could not write, or takes too long. */
  #isDoubtful = false;

  constructor(database: Database, windowClock?: WindowClock) {
    this.#database = database;
    this.#windowClock = windowClock;
    const common = { isPoison, createTooSlow: createStoreTooSlow };
    this.#steps = new Batcher({ ...common, run: (steps) => this.#runSteps(steps) });
    this.#growths = new Batcher({ ...common, run: (requests) => this.#runGrowths(requests) });
    this.#rows = new Batcher({ ...common, run: (rows) => this.#runRows(rows) });
  }

  /** Tries to create a hold. */
  reserve(attempt: ReserveTry, terms: RepeatTerms<ReserveTry, ReserveOutcome>): Promise<ReserveOutcome> {
    return this.#steps.submit(attempt, terms) as Promise<ReserveOutcome>;
  }

  /** Resolves a hold. */
  async settle(owned: OwnedSettlement, terms: RepeatTerms<OwnedSettlement, undefined>): Promise<void> {
    await this.#steps.submit(owned, terms);
  }

  /** Settles what was encoded before, perhaps by another process. */
  async settleEncoded(encoded: object): Promise<void> {
    await this.#steps.submit({ encoded });
  }

  grow(request: GrowRequest): Promise<ReserveOutcome> {
    return this.#growths.submit(request);
  }

  /** Reports requests on leases; returns the leases that exist. */
  async report(report: Report): Promise<Map<string, StoredLease>> {
    const found = await this.#call<LeaseReply[]>(
      'report',
      'SELECT ledger_report($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS value',
      [this.#epoch, ...encodeReport(report), this.#now],
    );
    return new Map((found ?? []).map(decodeLease));
  }

  /** Ends the leases of processes whose journals have been written; of this one by default. */
  async returnLeases(epochs: readonly string[] = [this.#epoch ?? '0']): Promise<void> {
    await this.#call('return_leases', 'SELECT ledger_return_leases($1) AS value', [[...epochs]]);
  }

  /** Takes out of leases of crashed processes what their journals account for. */
  async accountLeases(accounted: readonly AccountedRequest[]): Promise<void> {
    const values = [accounted.map(({ lease }) => lease), accounted.map(({ amount }) => amount)];
    await this.#call('account_leases', 'SELECT ledger_account_leases($1, $2) AS value', values);
  }

  /** Which of these processes are gone. */
  async findGone(epochs: readonly string[], exclusive: boolean): Promise<string[]> {
    const values = [[...epochs], exclusive, OWNER_GONE_AFTER];
    return (await this.#call<string[] | null>('find_gone', FIND_GONE, values)) ?? [];
  }

  /** Which of these requests have a hold of their own or an entry. */
  async findKnown(requestIds: readonly string[]): Promise<string[]> {
    return (await this.#call<string[] | null>('find_known', FIND_KNOWN, [[...requestIds]])) ?? [];
  }

  /** The period of a recurring limit; undefined for other meters. */
  async findPeriod(kind: MeterKind, subject: Subject): Promise<RecurringLimit['period'] | undefined> {
    if (!kind.endsWith('recurring')) return undefined;
    const values = [kind, findMeterOwner(subject, kind)];
    return (
      (await this.#call<RecurringLimit['period'] | null>('find_period', FIND_PERIOD, values)) ?? undefined
    );
  }

  /** Sends a message about leases to all processes. */
  async notify(message: LeaseMessage): Promise<void> {
    await this.#call('notify', "SELECT pg_notify('sluice_accounts', 'lease ' || $1)::text AS value", [
      message,
    ]);
  }

  /** Whether another process has reported nothing of a lease on this money since `since`; the database's time by default. */
  async isBehind(
    { keyId, organizationId }: Pick<Subject, 'keyId' | 'organizationId'>,
    since?: string,
  ): Promise<string | undefined> {
    const values = [this.#epoch, keyId, organizationId, since];
    return (await this.#call<string | null>('is_behind', IS_BEHIND, values)) ?? undefined;
  }

  async record(row: OutcomeRow): Promise<void> {
    await this.#rows.submit(row);
  }

  async transferHold(transaction: Queryable, requestId: string): Promise<void> {
    await transaction.query({
      text: 'SELECT ledger_move_to_job($1, $2)',
      values: [this.#epoch, requestId],
    });
  }

  async resolve(transaction: Queryable, settlement: OwnedSettlement): Promise<void> {
    const text = encodeStorableJson([encodeSettlement(settlement)]);
    const values = [text, this.#now];
    await transaction.query({ text: 'SELECT ledger_settle($1, $2)', values });
  }

  /** Throws `store_unavailable` if the database answers but cannot write; checks only after a failed or slow write. */
  async checkWritable(): Promise<void> {
    if (!this.#isDoubtful) return;
    await this.#database.query({ text: NEED_TABLES_AND_SPACE }).catch((error: unknown) => {
      if (isStoreDown(error)) throw error; // a role that may not create temporary tables proves nothing
    });
    this.#isDoubtful = false;
  }

  async drain(): Promise<void> {
    await Promise.all([this.#steps.drain(), this.#growths.drain(), this.#rows.drain()]);
  }

  /** Returns its epoch. */
  async createOwner(note: string): Promise<string> {
    this.#note = note;
    this.#epoch = await this.#call(
      'own',
      'INSERT INTO owner (note) VALUES ($1) RETURNING epoch::text AS value',
      [note],
    );
    return this.#epoch ?? '';
  }

  async removeOwner(): Promise<void> {
    await this.#call('disown', DISOWN, [this.#epoch]);
  }

  async sendHeartbeat(): Promise<void> {
    await this.#call('beat', "SELECT ledger_beat($1, $2, '{}') AS value", [this.#epoch, this.#note]);
  }

  /** What open answers have cost so far, with the members of their rows that have changed. */
  async recordDelivered(delivered: object): Promise<void> {
    const values = [this.#epoch, encodeStorableJson(delivered)];
    await this.#call('note_delivered', 'UPDATE owner SET delivered = $2 WHERE epoch = $1', values);
  }

  /** Restores progress that its process could not send, for the sweep. The store may already have later figures. */
  async restoreProgress(encoded: JsonValue): Promise<void> {
    const text = 'SELECT ledger_restore_progress($1) AS value';
    await this.#call('restore_progress', text, [encodeStorableJson(encoded)]);
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

  async sumLost(): Promise<PicoUsd> {
    const text =
      "SELECT COALESCE(sum(provider), 0)::text AS value FROM ledger_entry WHERE kind IN ('lost', 'found')";
    return BigInt((await this.#call<string>('sum_lost', text, [])) ?? 0);
  }

  /** One statement for holds and settlements: at half the cost if all settled holds exist and all rows can be stored. */
  async #runSteps(steps: readonly Step[]): Promise<(ReserveOutcome | undefined)[]> {
    const settlements = steps.filter((step) => 'settlement' in step);
    const tries = steps.filter((step) => 'request' in step);
    const tried = encodeAll(tries.map(encodeTry));
    const writeAny = (): Promise<ReserveReply[] | undefined> =>
      this.#call('step', WRITE_ANY, [
        this.#epoch,
        encodeAll(steps.flatMap(encodeSettling)),
        tried,
        this.#now,
      ]);
    const writeHeld = (): Promise<ReserveReply[] | undefined> =>
      this.#call('ship', WRITE_HELD, [
        this.#epoch,
        ...encodeSettlements(settlements, tries),
        tried,
        this.#now,
      ]);
    const isAnyEncoded = settlements.length + tries.length < steps.length;
    const replies =
      settlements.length === 0 || isAnyEncoded
        ? await writeAny()
        : await writeHeld().catch((error: unknown) => {
            if (isStoreDown(error)) throw error;
            return writeAny(); // a hold is gone, or a row is odd
          });
    const outcomes = (replies ?? []).map(decodeReply);
    if (outcomes.length !== tries.length) throw new Error('a step returned a different number of outcomes');
    let next = 0;
    return steps.map((step) => ('request' in step ? outcomes[next++] : undefined));
  }

  async #runGrowths(requests: readonly GrowRequest[]): Promise<ReserveOutcome[]> {
    const values = [this.#epoch, encodeStorableJson(requests.map(encodeGrowth))];
    const replies = await this.#call<ReserveReply[]>('grow', 'SELECT ledger_grow($1, $2) AS value', values);
    return (replies ?? []).map(decodeReply);
  }

  async #runRows(rows: readonly OutcomeRow[]): Promise<undefined[]> {
    await this.#call('record', 'SELECT request_log_store($1) AS value', [encodeStorableJson(rows)]);
    return rows.map(() => undefined);
  }

  /** When periods and windows are said to be; absent: by the database's clock. */
  get #now(): number | null {
    return this.#windowClock?.now() ?? null;
  }

  async #call<Value>(name: string, text: string, values: unknown[]): Promise<Value | undefined> {
    const statement = { name: `ledger_${name}`, text, values };
    const slow = startDeadline(STORE_LIMIT_MS, () => (this.#isDoubtful = true));
    try {
      const { rows } = await this.#database.query<{ value: Value }>(statement);
      return rows[0]?.value;
    } catch (error) {
      this.#isDoubtful ||= isStoreDown(error);
      throw error;
    } finally {
      slow.stop();
    }
  }
}

function encodeAll(items: readonly object[]): string | null {
  return items.length === 0 ? null : encodeStorableJson(items);
}

function encodeSettling(step: Step): object[] {
  if ('request' in step) return [];
  return ['encoded' in step ? step.encoded : encodeSettlement(step)];
}
