import type { PicoUsd } from '#base';
import type { Receipt } from '#storage';
import type { Lease } from './leases.ts';
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
