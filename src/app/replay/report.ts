import type { PicoUsd } from '#base';
import type { WhatIfLine } from '#advice';

/**
 * How the tool calls of two answers agree: `same_tools` has the same names in the same order with other arguments;
 * `none` is of two answers without calls.
 */
export type ToolAgreement = 'same' | 'same_tools' | 'different' | 'none';

/** What two answers have in common. */
export interface AnswerAgreement {
  tools: ToolAgreement;
  /** Share of words from 0 to 1, in any order; absent if neither answer has text. */
  wordsInCommon?: number;
}

/** One answer, as its log row has it. */
export interface LoggedAnswer {
  requestId: string;
  modelId: string;
  providerId: string;
  /** What its provider bills. */
  cost: PicoUsd;
  durationMs: number;
  firstEventMs?: number;
  outputTokens: number;
  finishReason: string;
}

export interface ComparedRequest extends AnswerAgreement {
  was: LoggedAnswer;
  now: LoggedAnswer;
  /** Unified; absent unless wanted, and for equal answers empty. */
  diff?: string;
}

/** A replayed request without an answer that could be compared. */
export interface FailedRequest {
  requestId: string;
  /** Its log row; absent if it has none. */
  replayId?: string;
  code: string;
  message: string;
  cost: PicoUsd;
}

/** A request that was not sent, and why. */
export interface UnsentRequest {
  requestId: string;
  reason: string;
}

/** Why a replay ended before its last request. */
export interface EarlyEnd {
  reason: 'budget' | 'interrupted' | 'refused' | 'unreachable';
  message: string;
}

/** A request that would be sent. */
interface PlannedRequest {
  requestId: string;
  modelId: string;
  cost: PicoUsd;
}

interface ReplayFacts {
  model: string;
  budget: PicoUsd;
  /** Kept requests that cannot be replayed or compared. */
  skipped: readonly UnsentRequest[];
  /** Whether the log has more rows than were read. */
  isPartial: boolean;
}

/** What a replay would do. */
export interface ReplayPlan extends ReplayFacts {
  planned: readonly PlannedRequest[];
  /** At each provider of the model, the cheapest first; absent without a known price. */
  estimate?: readonly WhatIfLine[];
}

export interface ReplayReport extends ReplayFacts {
  /** The value of the tag `replay` in its log rows. */
  id: string;
  keyId?: string;
  /** In the order in which they were answered. */
  compared: readonly ComparedRequest[];
  failed: readonly FailedRequest[];
  /** Left when it ended early. */
  unsent: readonly UnsentRequest[];
  end?: EarlyEnd;
  /** What the key was charged for these requests. */
  spent: PicoUsd;
}

/** How far a replay is. */
export interface ReplayProgress {
  done: number;
  total: number;
  spent: PicoUsd;
}
