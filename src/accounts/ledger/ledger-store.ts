import type { Queryable } from '#storage';
import { Batcher, type RepeatTerms } from './batcher.ts';
import type { RecurringLimit } from './recurring-limit.ts';
import { type MeterKind, type Subject, findMeterOwner } from './subject.ts';
import type { WindowClock } from './window-clock.ts';
import type { GrowRequest, OutcomeRow } from './ledger.ts';
import type { LedgerCalls } from './ledger-calls.ts';
import { OWNER_GONE_AFTER } from './owner-store.ts';
import { type LeaseReply, type Report, decodeLease, encodeReport } from './encode-report.ts';
import type { StoredLease } from './leases.ts';
import { encodeStorableJson } from './storable-json.ts';
import { createStoreTooSlow, isPoison } from './store-fault.ts';
import {
  type OwnedSettlement,
  type ReserveOutcome,
  type ReserveReply,
  type ReserveTry,
  decodeReply,
  encodeGrowth,
  encodeSettlement,
} from './store-codec.ts';
import { type Step, writeSteps } from './write-steps.ts';

const FIND_PERIOD = `
  SELECT CASE $1 WHEN 'recurring' THEN (SELECT period FROM recurring_limit WHERE key_id = $2)
    WHEN 'member_recurring' THEN (SELECT recurring_period FROM member WHERE id = $2)
    ELSE (SELECT period FROM shared_limit WHERE subject_id = $2 AND kind = $1) END AS value`;

const FIND_SILENCE = `
  SELECT ceil(GREATEST(1, extract(epoch FROM max(o.heartbeat_at + $3::interval - clock_timestamp()))))::int AS value
  FROM hold h JOIN owner o ON o.epoch = h.owner_epoch
  WHERE o.heartbeat_at < clock_timestamp() - interval '5 seconds' AND h.meter_ids && ARRAY(
    SELECT id FROM meter
    WHERE (kind = 'key' AND subject_id = $1) OR (kind IN ('credits', 'plan') AND subject_id = $2))
  HAVING count(*) > 0`;

/** Holds, settlements and log rows. Concurrent ones of a kind share a statement; each may be repeated: it takes effect once. */
export class LedgerStore {
  readonly #calls: LedgerCalls;
  readonly #windowClock: WindowClock | undefined;
  readonly #steps: Batcher<Step, ReserveOutcome | undefined>;
  readonly #growths: Batcher<GrowRequest, ReserveOutcome>;
  readonly #rows: Batcher<OutcomeRow, undefined>;

  constructor(calls: LedgerCalls, windowClock?: WindowClock) {
    this.#calls = calls;
    this.#windowClock = windowClock;
    const common = { isPoison, createTooSlow: createStoreTooSlow };
    this.#steps = new Batcher({ ...common, run: (steps) => writeSteps(calls, steps, this.#now) });
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
    const found = await this.#calls.call<LeaseReply[]>(
      'report',
      'SELECT ledger_report($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS value',
      [this.#calls.epoch, ...encodeReport(report), this.#now],
    );
    return new Map((found ?? []).map(decodeLease));
  }

  /** The period of a recurring limit; undefined for other meters. */
  async findPeriod(kind: MeterKind, subject: Subject): Promise<RecurringLimit['period'] | undefined> {
    if (!kind.endsWith('recurring')) return undefined;
    const values = [kind, findMeterOwner(subject, kind)];
    return (
      (await this.#calls.call<RecurringLimit['period'] | null>('find_period', FIND_PERIOD, values)) ??
      undefined
    );
  }

  /**
   * In how many seconds the money comes back that a process without a heartbeat holds of this key or organization; undefined if
   * there is none.
   */
  async findSilence({ keyId, organizationId }: Subject): Promise<number | undefined> {
    const values = [keyId, organizationId, OWNER_GONE_AFTER];
    return (await this.#calls.call<number | null>('find_silence', FIND_SILENCE, values)) ?? undefined;
  }

  async record(row: OutcomeRow): Promise<void> {
    await this.#rows.submit(row);
  }

  async transferHold(transaction: Queryable, requestId: string): Promise<void> {
    await transaction.query({
      text: 'SELECT ledger_move_to_job($1, $2)',
      values: [this.#calls.epoch, requestId],
    });
  }

  async resolve(transaction: Queryable, settlement: OwnedSettlement): Promise<void> {
    const text = encodeStorableJson([encodeSettlement(settlement)]);
    const values = [text, this.#now];
    await transaction.query({ text: 'SELECT ledger_settle($1, $2)', values });
  }

  async drain(): Promise<void> {
    await Promise.all([this.#steps.drain(), this.#growths.drain(), this.#rows.drain()]);
  }

  async #runGrowths(requests: readonly GrowRequest[]): Promise<ReserveOutcome[]> {
    const values = [this.#calls.epoch, encodeStorableJson(requests.map(encodeGrowth))];
    const replies = await this.#calls.call<ReserveReply[]>(
      'grow',
      'SELECT ledger_grow($1, $2) AS value',
      values,
    );
    return (replies ?? []).map(decodeReply);
  }

  async #runRows(rows: readonly OutcomeRow[]): Promise<undefined[]> {
    await this.#calls.call('record', 'SELECT request_log_store($1) AS value', [encodeStorableJson(rows)]);
    return rows.map(() => undefined);
  }

  /** When periods and windows are said to be; absent: by the database's clock. */
  get #now(): number | null {
    return this.#windowClock?.now() ?? null;
  }
}
