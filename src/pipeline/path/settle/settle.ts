import { type Settlement, createStoreTooSlow } from '#accounts';
import { type LogRow } from '#logs';
import type { Ports } from '../../request/ports.ts';
import type { Outcome, Trip } from '../../request/trip.ts';
import type { PremiumRule } from '#catalogue';
import { type Deadline, startDeadline } from '#base';
import { isPremium } from '#catalogue';
import { type GatewayError, toGatewayError } from '#errors';
import { releaseSlot } from '../limit.ts';
import { explainCache, recordMarks } from './explain-cache.ts';
import { toRow } from './row.ts';

const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 2_000;
/** A row that moves no money is dropped after failing for this long: an outage must not fill the memory. */
const GIVE_UP_AFTER_MS = 60_000;
/** How long the end of the answer waits for an unavailable store. */
const PATIENCE_MS = 5_000;
/** The same for free outcomes, such as a refusal. */
export const LITTLE_PATIENCE_MS = 500;

/**
 * Writes the cost and the one row of a closed trip before the caller sees the end. Failed writes are retried: for a
 * while with the caller waiting, then in the background until the process exits.
 */
export async function settle(
  ports: Ports,
  trip: Trip,
  { outcome, patienceMs = PATIENCE_MS }: { outcome: Outcome; patienceMs?: number },
): Promise<void> {
  if (!outcome.facts.caller) return;
  releaseSlot(outcome);
  const row = toRow(trip, outcome, ports.clock.monotonicMs() - trip.arrival.startedMs);
  explainCache(ports, row, outcome);
  recordMarks(ports, row, outcome);
  await writeInTime(ports, toUnwritten(outcome, row, ports.live().premium), patienceMs);
  ports.telemetry.requestClosed(row, trip.trace);
  const refusal = outcome.error ?? outcome.facts.shortage;
  if (refusal) ports.accounts.noteRefusal(outcome.facts.caller, refusal);
}

/** Refers only to the row, because it may outlive its trip, whose request can be large. */
interface Unwritten {
  row: LogRow;
  /** Absent if no money moves. */
  settlement: Settlement | undefined;
}

function toUnwritten(outcome: Outcome, row: LogRow, rule: PremiumRule): Unwritten {
  const { facts, bill } = outcome;
  if (facts.hold === undefined) return { row, settlement: undefined };
  const settlement = {
    requestId: row.requestId,
    customer: bill.customer,
    ...(facts.isHoldBehind && bill.owed > bill.customer && { beyondHold: bill.owed - bill.customer }),
    provider: bill.provider,
    estimated: bill.estimated,
    unreached: !isReached(outcome),
    standard: isStandard(outcome, rule),
    row,
  };
  return { row, settlement };
}

/** Whether any provider was called; premium weeks depend on it. */
function isReached({ facts, attempts }: Outcome): boolean {
  if (facts.dispatchedMs === undefined) return false;
  return (
    attempts.length === 0 ||
    attempts.some(({ outcome }) => !['unreachable', 'no-descriptor', 'unsupported'].includes(outcome))
  );
}

/** Whether no model that the caller pays is premium, so that the premium week is not charged. */
function isStandard({ facts: { mapping, credential }, bill }: Outcome, rule: PremiumRule): boolean {
  if (mapping === undefined) return false;
  if (credential === 'own') return true;
  const { parts } = bill.answered ?? bill;
  return !isPremium(mapping, rule) && !parts?.some((part) => isPremium(part.mapping, rule));
}

/** Resolves once written; rejects after the patience, and keeps writing in the background. */
function writeInTime(ports: Ports, unwritten: Unwritten, patienceMs: number): Promise<undefined> {
  const writing = new Writing(ports, unwritten, patienceMs);
  writing.try(RETRY_FIRST_MS);
  return writing.end;
}

/** A write that is retried until it succeeds. */
class Writing {
  readonly #ports: Ports;
  readonly #unwritten: Unwritten;
  readonly #waiting = Promise.withResolvers<undefined>();
  readonly #startedMs: number;
  readonly #patience: Deadline;
  #failure: GatewayError | undefined;

  constructor(ports: Ports, unwritten: Unwritten, patienceMs: number) {
    this.#ports = ports;
    this.#unwritten = unwritten;
    this.#startedMs = ports.clock.monotonicMs();
    this.#patience = startDeadline(patienceMs, () =>
      this.#waiting.reject(this.#failure ?? createStoreTooSlow()),
    );
  }

  get end(): Promise<undefined> {
    return this.#waiting.promise;
  }

  try(delayMs: number): void {
    this.#write().then(
      () => {
        this.#patience.stop();
        this.#waiting.resolve(undefined);
      },
      (thrown: unknown) => this.#retry(thrown, delayMs),
    );
  }

  #write(): Promise<void> {
    const { ledger } = this.#ports.accounts;
    const { settlement, row } = this.#unwritten;
    return settlement ? ledger.settle(settlement) : ledger.record(row);
  }

  #retry(thrown: unknown, delayMs: number): void {
    const { clock, telemetry } = this.#ports;
    const { settlement, row } = this.#unwritten;
    const failure = toGatewayError(thrown);
    if (!this.#failure) telemetry.settlementFailed(row.requestId, failure);
    this.#failure = failure;
    if (!settlement && clock.monotonicMs() - this.#startedMs > GIVE_UP_AFTER_MS) return;
    setTimeout(() => this.try(Math.min(delayMs * 2, RETRY_MOST_MS)), delayMs).unref();
  }
}
