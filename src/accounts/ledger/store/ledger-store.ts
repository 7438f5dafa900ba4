import type { PicoUsd } from '#base';
import type { Queryable } from '#storage';
import { Batcher, type RepeatTerms } from './batcher.ts';
import type { RecurringLimit } from '../../meters/recurring-limit.ts';
import { type MeterKind, type Subject, findMeterOwner } from '../../meters/subject.ts';
import type { WindowClock } from '../../meters/window-clock.ts';
import type { GrowRequest, OutcomeRow } from '../ledger.ts';
import type { LedgerCalls } from './ledger-calls.ts';
import { type LeaseReply, type Report, decodeLease, encodeReport } from './encode-report.ts';
import type { StoredLease } from '../leases/leases.ts';
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

/** What processes hold of a meter that have missed a heartbeat, and the seconds until all of them are swept at the latest. */
const FIND_SILENT = `
  SELECT jsonb_build_object('held', sum(h.amount)::text, 'seconds', GREATEST(2, ceil(extract(epoch FROM
    max(COALESCE(o.heartbeat_at, 'epoch')) + interval '40 seconds' - clock_timestamp())))) AS value
  FROM hold h LEFT JOIN owner o ON o.epoch = h.owner_epoch
  WHERE h.owner_epoch <> 0 AND h.meter_ids && ARRAY(
      SELECT id FROM meter WHERE kind = $1 AND subject_id = $2 AND (ends_at IS NULL OR ends_at > clock_timestamp()))
    AND COALESCE(o.heartbeat_at, 'epoch') < clock_timestamp() - interval '8 seconds'
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

  /** Writes a settlement that was encoded before, perhaps by another process. */
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

  /** What processes hold of a meter that are not heard of, and in how many seconds it is released; undefined if nothing. */
  async findSilent(
    kind: MeterKind,
    subject: Subject,
  ): Promise<{ held: PicoUsd; seconds: number } | undefined> {
    const values = [kind, findMeterOwner(subject, kind)];
    const found = await this.#calls.call<{ held: string; seconds: number }>(
      'find_silent',
      FIND_SILENT,
      values,
    );
    return found && { held: BigInt(found.held), seconds: found.seconds };
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

  /** The time that periods and windows are checked against; null: the database's clock. */
  get #now(): number | null {
    return this.#windowClock?.now() ?? null;
  }
}
