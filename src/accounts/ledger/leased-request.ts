import type { PicoUsd } from '#base';
import type { Receipt } from '#storage';
import type { Lease, LeaseReport } from './leases.ts';
import type { HoldRequest } from './ledger.ts';
import type { OwnedSettlement } from './store-codec.ts';

/** A request that was admitted on a lease, until its settlement is written. */
export interface LeasedRequest {
  readonly request: HoldRequest;
  readonly lease: Lease;
  amount: PicoUsd;
  /** It has a hold of its own, or the next report gives it one. */
  hasHold: boolean;
  /** The database certainly has that hold. */
  isHoldStored: boolean;
  readonly openedMs: number;
  readonly receipts: Receipt[];
  settlement?: OwnedSettlement;
  settling?: Promise<void>;
}

/** Leases keep what settlements cost that the same report has no room for: else others could spend it meanwhile. */
export function keepCosts(leases: readonly LeaseReport[], later: readonly LeasedRequest[]): void {
  if (later.length === 0) return;
  const reports = new Map(leases.map((report) => [report.lease, report]));
  for (const { lease, hasHold, settlement } of later) {
    const report = hasHold ? undefined : reports.get(lease);
    if (report && settlement) report.keep += settlement.settlement.customer;
  }
}
