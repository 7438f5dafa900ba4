import type { JsonObject } from '#base';
import type { WhatIfLine } from '#advice';
import { formatUsd } from '#base';
import type {
  LoggedAnswer,
  ComparedRequest,
  FailedRequest,
  ReplayPlan,
  ReplayReport,
  UnsentRequest,
} from './report.ts';
import { type ReplaySummary, summarizeReplay } from './summarize-replay.ts';

/** The JSON of a replay: amounts are USD as decimal text. */
export function encodeReplay(report: ReplayReport): JsonObject {
  const { id, model, budget, spent, keyId, end, isPartial } = report;
  return {
    object: 'replay',
    id,
    model,
    budget: formatUsd(budget),
    spent: formatUsd(spent),
    key_id: keyId ?? null,
    is_partial: isPartial,
    end: end ? { reason: end.reason, message: end.message } : null,
    summary: encodeSummary(summarizeReplay(report)),
    data: report.compared.map(encodeCompared),
    failed: report.failed.map(encodeFailed),
    skipped: report.skipped.map(encodeUnsent),
    unsent: report.unsent.map(encodeUnsent),
  };
}

/** The JSON of a dry run. */
export function encodeReplayPlan({
  model,
  budget,
  isPartial,
  planned,
  skipped,
  estimate,
}: ReplayPlan): JsonObject {
  return {
    object: 'replay_plan',
    model,
    budget: formatUsd(budget),
    is_partial: isPartial,
    data: planned.map(({ requestId, modelId, cost }) => ({
      request_id: requestId,
      model_id: modelId,
      cost: formatUsd(cost),
    })),
    skipped: skipped.map(encodeUnsent),
    estimate: estimate ? estimate.map(encodeEstimate) : null,
  };
}

const encodeEstimate = ({ modelId, providerId, requests, cost, actual }: WhatIfLine): JsonObject => ({
  model_id: modelId,
  provider_id: providerId,
  requests,
  cost: formatUsd(cost),
  actual_cost: formatUsd(actual),
});

const encodeUnsent = ({ requestId, reason }: UnsentRequest): JsonObject => ({
  request_id: requestId,
  reason,
});

const encodeFailed = ({ requestId, replayId, code, message, cost }: FailedRequest): JsonObject => ({
  request_id: requestId,
  replay_id: replayId ?? null,
  code,
  message,
  cost: formatUsd(cost),
});

function encodeCompared({ was, now, tools, wordsInCommon, diff }: ComparedRequest): JsonObject {
  return {
    was: encodeSide(was),
    now: encodeSide(now),
    tools,
    words_in_common: wordsInCommon ?? null,
    diff: diff ?? null,
  };
}

const encodeSide = (side: LoggedAnswer): JsonObject => ({
  request_id: side.requestId,
  model_id: side.modelId,
  provider_id: side.providerId,
  cost: formatUsd(side.cost),
  duration_ms: side.durationMs,
  first_event_ms: side.firstEventMs ?? null,
  output_tokens: side.outputTokens,
  finish_reason: side.finishReason,
});

function encodeSummary({
  requests,
  was,
  now,
  tools,
  toolAgreement,
  wordsInCommon,
  ...counts
}: ReplaySummary): JsonObject {
  return {
    requests,
    was: encodeSums(was),
    now: encodeSums(now),
    tools: { ...tools },
    tool_agreement: toolAgreement ?? null,
    words_in_common: wordsInCommon ?? null,
    skipped: Object.fromEntries(counts.skipped),
    failed: Object.fromEntries(counts.failed),
  };
}

const encodeSums = ({ cost, outputTokens, ...times }: ReplaySummary['was']): JsonObject => ({
  cost: formatUsd(cost),
  output_tokens: outputTokens,
  median_ms: times.medianMs ?? null,
  p95_ms: times.p95Ms ?? null,
  median_first_event_ms: times.medianFirstEventMs ?? null,
});
