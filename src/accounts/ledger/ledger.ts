import type { PicoUsd } from '#base';
import type { Queryable } from '#storage';
import type { Caller } from '../caller.ts';

/** The log row of a request, as far as the ledger reads it; the rest is stored as it is. */
export interface OutcomeRow {
  requestId: string;
  organizationId: string;
  projectId: string;
  keyId: string;
  /** The member that the key belongs to, the session token that called, and for whom it was made. */
  memberId?: string;
  sessionTokenId?: string;
  endUserId?: string;
  finishReason: string;
}

/** What a request asks to put aside before anything is sent for it. */
export interface HoldRequest {
  requestId: string;
  caller: Caller;
  /** The most the request can cost. */
  amount: PicoUsd;
  /** A smaller hold it can live with, its output then being bounded; absent: all or nothing. */
  leastAmount?: PicoUsd;
  /** A premium model may answer: on a plan, the weekly allowance must cover it too. */
  premium?: boolean;
  /** Its log row as it is to be written if this process dies now: a gateway error at cost 0. */
  row: OutcomeRow;
}

/** Money put aside for one request. */
export interface Hold {
  requestId: string;
  amount: PicoUsd;
}

/** What a request came to. */
export interface Settlement {
  requestId: string;
  /** What the customer pays. */
  customer: PicoUsd;
  /** What the provider charges. */
  provider: PicoUsd;
  estimated: boolean;
  /** No provider was reached: a premium week that was opened for this request alone has not begun. */
  unreached?: boolean;
  /** A standard model answered: nothing of it is charged to the premium week. */
  standard?: boolean;
  /** The finished log row; its cost fields are written by the ledger. */
  row: OutcomeRow;
}

/** What a request would come to if it ended now, for whoever closes the hold of a dead process. */
export interface Progress {
  customer: PicoUsd;
  provider: PicoUsd;
  row: OutcomeRow;
}

/** Tells that who asks has left; as a function it is made where somebody waits, which is seldom. */
export type LeaveSignal = AbortSignal | (() => AbortSignal);

/** Two figures that must agree and do not. */
export interface LedgerDifference {
  what: string;
  subject: string;
  expected: string;
  actual: string;
}

/** The only part of the program that changes money. */
export interface Ledger {
  /**
   * Puts money aside durably. Waits while only open holds are in the way; throws `key_limit_reached`, `credits_exhausted`,
   * `plan_credits_exhausted`, `premium_allowance_exhausted`, `member_budget_reached`, `session_budget_reached` or
   * `store_unavailable`, and then no hold remains. When `signal` aborts during the write itself the hold is still given: the
   * request must then be settled.
   */
  reserve(request: HoldRequest, signal?: LeaveSignal): Promise<Hold>;
  /** Remembers how far a request has come; written for all requests at once, at most once a second. */
  noteProgress(requestId: string, progress: Progress): void;
  /**
   * Resolves the hold: entry, meters and log row in one statement. When the promise resolves this is durable: written, or in
   * the journal from where it will be. A second call changes nothing. After `store_unavailable` it is tried again in the
   * background until it is written.
   */
  settle(settlement: Settlement): Promise<void>;
  /** Hands an open hold over to a job that outlives this process, in the transaction that begins the job. */
  entrust(transaction: Queryable, requestId: string): Promise<void>;
  /** Resolves a hold, once, in the transaction that ends its job. */
  resolve(transaction: Queryable, settlement: Settlement): Promise<void>;
  /** Writes the log row of an outcome that has no hold and costs nothing; of rejects at most 20,000 a minute per key. */
  record(row: OutcomeRow): Promise<void>;
  /** Ends every wait for money, now and from now on, with `shutting_down`: this process is about to stop. */
  stopWaiting(): void;
  /** Throws `store_unavailable` or `shutting_down` where nothing that costs money would be admitted now. */
  checkReady(): Promise<void>;
  /** Closes the holds of processes that are gone; gives their number. */
  sweep(): Promise<number>;
  /** Every disagreement between entries, meters, holds and log rows; empty when all is well. */
  check(): Promise<LedgerDifference[]>;
}
