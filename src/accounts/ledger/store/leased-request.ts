import type { PicoUsd } from '#base';
import type { Receipt } from '#storage';
import type { Lease, LeaseReport } from '../leases/leases.ts';
import type { HoldRequest } from '../ledger.ts';
import { type OwnedSettlement, isBeyondHold } from './store-codec.ts';

/** A request that was admitted on a lease, until its settlement is written. */
export interface LeasedRequest {
  readonly request: HoldRequest;
  readonly lease: Lease;
  amount: PicoUsd;
  /**
   * Where its money is. `leased`: in its lease. `opening`: the next report gives it a hold of its own. `held`: the database
   * certainly has that. `unsure`: its lease was gone, so that the hold may not exist.
   */
  state: 'leased' | 'opening' | 'held' | 'unsure';
  readonly openedMs: number;
  readonly receipts: Receipt[];
  /** Its only settlement has begun. */
  settling?: Promise<void>;
}

/** Its settlement is in the journal, or could not be, and waits for a report. */
export interface SettledRequest extends LeasedRequest {
  readonly settlement: OwnedSettlement;
}

/** Keeps the costs of settlements that wait for a later report in their leases: others could spend them meanwhile. */
export function keepCosts(leases: readonly LeaseReport[], later: readonly SettledRequest[]): void {
  if (later.length === 0) return;
  const reports = new Map(leases.map((report) => [report.lease, report]));
  for (const { lease, state, settlement } of later) {
    const report = state === 'leased' ? reports.get(lease) : undefined;
    if (report) report.keep += settlement.settlement.customer;
  }
}

/** Separates the settlements of costs beyond a hold: each is written by itself, once its hold exists. */
export function splitSettled(all: readonly SettledRequest[]): Record<'settled' | 'alone', SettledRequest[]> {
  const { settled = [], alone = [] } = Object.groupBy(all, ({ state, settlement }) =>
    state !== 'leased' && isBeyondHold(settlement) ? 'alone' : 'settled',
  );
  return { settled, alone };
}
