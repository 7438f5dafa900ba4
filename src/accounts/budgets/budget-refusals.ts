import { type Clock, createLru } from '#base';
import type { GatewayError } from '#errors';
import type { Database } from '#storage';
import type { Caller } from '../caller.ts';
import { type MeterKind, findMeterOwner } from '../meters/subject.ts';

/** A client in a loop is refused hundreds of times a second. */
const NOTED_EVERY_MS = 5_000;
const MOST_REMEMBERED = 10_000;

const NOTE = `
  INSERT INTO budget_refusal AS b (meter_id, lim, refused_at)
  SELECT id, lim, date_trunc('milliseconds', clock_timestamp()) FROM meter
  WHERE kind = $1 AND subject_id = $2 AND lim IS NOT NULL ORDER BY starts_at DESC LIMIT 1
  ON CONFLICT (meter_id) DO UPDATE SET lim = excluded.lim, refused_at = excluded.refused_at`;

interface BudgetRefusalsOptions {
  database: Database;
  clock: Clock;
  onFault(error: unknown): void;
}

/** Notes which budgets refuse requests, for alerts and lists. Requests do not wait for it. */
export class BudgetRefusals {
  readonly #options: BudgetRefusalsOptions;
  readonly #notedMs = createLru<string, number>(MOST_REMEMBERED);

  constructor(options: BudgetRefusalsOptions) {
    this.#options = options;
  }

  note(caller: Caller, { facts: { shortage } }: GatewayError): void {
    if (!shortage) return;
    const kind = shortage.budget as MeterKind;
    const subjectId = findMeterOwner(caller, kind);
    if (kind === 'session' || subjectId === undefined) return; // session tokens end within a day
    const { database, clock, onFault } = this.#options;
    const name = `${kind} ${subjectId}`;
    const nowMs = clock.monotonicMs();
    if (nowMs - (this.#notedMs.get(name) ?? -Infinity) < NOTED_EVERY_MS) return;
    this.#notedMs.set(name, nowMs);
    database.query({ text: NOTE, values: [kind, subjectId] }).catch(onFault);
  }
}
