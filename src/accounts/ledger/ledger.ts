import type { PicoUsd } from '#base';
import type { Queryable } from '#storage';
import type { Caller } from '../caller.ts';

/** The columns of a request's log row that the ledger reads; the rest is stored unchanged. */
export interface OutcomeRow {
  requestId: string;
  organizationId: string;
  projectId: string;
  keyId: string;
  /** The member the key belongs to, the session token that called, and its end user. */
  memberId?: string;
  sessionTokenId?: string;
  endUserId?: string;
  finishReason: string;
}

/** A request for a hold, before anything is sent upstream. */
export interface HoldRequest {
  requestId: string;
  caller: Caller;
  /** The most the request can cost. */
  amount: PicoUsd;
  /** A smaller hold it accepts; absent: all or nothing. */
  leastAmount?: PicoUsd;
  /** The hold will grow, so it takes what is left now instead of waiting for a larger amount. */
  grows?: boolean;
  /** If the budget is short, it takes half of what is left, but at least this. */
  share?: PicoUsd;
  /** A premium model may answer: on a plan, the weekly allowance must cover it too. */
  premium?: boolean;
  /** The log row to write if this process crashes: a gateway error at cost 0. */
  row: OutcomeRow;
}

/** Money reserved for one request. */
export interface Hold {
  requestId: string;
  amount: PicoUsd;
}

/** More money for an open hold. */
export interface GrowRequest {
  requestId: string;
  /** The amount to add if the budget covers it. */
  amount: PicoUsd;
  /** A smaller addition it accepts. */
  leastAmount: PicoUsd;
  /** Waits only until leases have had time to return. */
  isUrgent?: boolean;
}

/** The outcome of a request. */
export interface Settlement {
  requestId: string;
  /** What the customer pays. */
  customer: PicoUsd;
  /** The amount that the customer pays beyond a hold that could not grow, as far as the limits go. */
  beyondHold?: PicoUsd;
  /** What the provider charges. */
  provider: PicoUsd;
  estimated: boolean;
  /** No provider was reached: a premium week opened for this request alone has not begun. */
  unreached?: boolean;
  /** A standard model answered: the premium week is not charged. */
  standard?: boolean;
  /** The finished log row; the ledger fills in its cost columns. */
  row: OutcomeRow;
}

/** What a request would cost if it ended now, for closing the hold of a crashed process. */
export interface Progress {
  customer: PicoUsd;
  provider: PicoUsd;
  row: OutcomeRow;
}

/** Aborts when the client disconnects; as a function it is only created for requests that wait, which is rare. */
export type LeaveSignal = AbortSignal | (() => AbortSignal);

/** Two figures that should agree but do not. */
export interface LedgerDifference {
  what: string;
  subject: string;
  expected: string;
  actual: string;
}

/** The only part of the program that changes money. */
export interface Ledger {
  /**
   * Reserves money durably. Waits while only open holds are in the way; throws `key_limit_reached`,
   * `project_limit_reached`, `organization_limit_reached`, `credits_exhausted`, `plan_credits_exhausted`,
   * `premium_allowance_exhausted`, `member_budget_reached`, `session_budget_reached` or `store_unavailable`, and then
   * no hold remains. If `signal` aborts during the write itself, the hold is still granted: the request must then be settled.
   */
  reserve(request: HoldRequest, signal?: LeaveSignal): Promise<Hold>;
  /**
   * Adds to an open hold; resolves with its new amount. Waits for a moment while only other holds are in the way;
   * throws like `reserve`, and then the hold is as before.
   */
  grow(request: GrowRequest): Promise<PicoUsd>;
  /** Records the progress of a request: soon in the journal, and within about a second in the database. */
  recordProgress(requestId: string, progress: Progress): void;
  /**
   * Resolves the hold: entry, meters and log row in one statement. Once the promise resolves this is durable:
   * written, or in the journal. A second call changes nothing. After `store_unavailable` the write is retried in the
   * background until it succeeds.
   */
  settle(settlement: Settlement): Promise<void>;
  /** Moves an open hold to a job that outlives this process, in the transaction that creates the job. */
  transferHold(transaction: Queryable, requestId: string): Promise<void>;
  /** Resolves a hold, once, in the transaction that ends its job. */
  resolve(transaction: Queryable, settlement: Settlement): Promise<void>;
  /** Writes the log row of an outcome without hold and cost; of rejected requests at most 20,000 a minute per key. */
  record(row: OutcomeRow): Promise<void>;
  /**
   * Resolves when the meters include all settlements: requests on leases are written a moment later. False if another
   * process has not reported in time.
   */
  catchUp(subject: Pick<Caller, 'keyId' | 'organizationId'>): Promise<boolean>;
  /** Settlements that the store has not confirmed. */
  readonly unwritten: number;
  /** Ends every wait for money, now and from now on, with `shutting_down`. */
  stopWaiting(): void;
  /** Throws `store_unavailable` or `shutting_down` if no paid request would be admitted now. */
  checkReady(): Promise<void>;
  /** Closes the holds of crashed processes; returns their number. */
  sweep(): Promise<number>;
  /** What leases of crashed processes held that no journal accounts for, at the operator's cost. */
  sumLost(): Promise<PicoUsd>;
  /** Every disagreement between entries, meters, holds and log rows; empty if they agree. */
  check(): Promise<LedgerDifference[]>;
}
