import type { PicoUsd } from '#base';
import type { Amounts } from './measures.ts';

const DIFFERENCE_KINDS = [
  'missing here',
  'missing there',
  'counted twice',
  'tokens differ',
  'cost differs',
  'other hour',
] as const;

export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Why a difference is not a fault of the log, as far as rows of the gateway or the export itself prove it. */
type Cause = 'failed call' | 'client left' | 'estimate' | 'unpriced' | 'modifier' | 'discount' | 'not final';

export interface Explanation {
  cause: Cause;
  text: string;
  /** The rows that prove it. */
  requestIds: readonly string[];
  /** The part of the difference that it explains. */
  amounts: Amounts;
}

/** A difference between an export and the log, of a bucket and model or of one request. */
export interface Difference {
  kind: DifferenceKind;
  from: number;
  /** Exclusive; `from` for a moment. */
  to: number;
  model?: string;
  upstreamId?: string;
  /** Rows of the gateway that it concerns. */
  requestIds: readonly string[];
  /** Where the export has it. */
  places: readonly string[];
  theirs: Amounts;
  ours: Amounts;
  /** Theirs − ours: what the export reports, else what the tokens cost; absent if their price is unknown. */
  cost?: PicoUsd;
  explanation?: Explanation;
  /** Possible reasons, without proof. */
  hints: readonly string[];
}

/** Requests that the provider counts in another bucket than the one they started in. */
export interface BucketShift {
  from: number;
  to: number;
  requestIds: readonly string[];
}
