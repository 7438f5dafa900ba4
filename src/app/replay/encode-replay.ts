import type { JsonObject } from '#base';
import { encodeMembers } from '#base';
import { estimateType } from '#advice';
import type { ComparedRequest, LoggedAnswer, ReplayPlan, ReplayReport, UnsentRequest } from './report.ts';
import { type ReplaySummary, summarizeReplay } from './summarize-replay.ts';

/** The JSON of a replay: amounts are USD as decimal text. */
export function encodeReplay(report: ReplayReport): JsonObject {
  const { end } = report;
  return {
    object: 'replay',
    ...encodeMembers(report, ['id', 'model', 'budget', 'spent', 'keyId', 'isPartial']),
    end: end ? encodeMembers(end, ['reason', 'message']) : null,
    summary: encodeSummary(summarizeReplay(report)),
    data: report.compared.map(encodeCompared),
    failed: report.failed.map((one) =>
      encodeMembers(one, ['requestId', 'replayId', 'code', 'message', 'cost']),
    ),
    skipped: report.skipped.map(encodeUnsent),
    unsent: report.unsent.map(encodeUnsent),
  };
}

/** The JSON of a dry run. */
export function encodeReplayPlan(plan: ReplayPlan): JsonObject {
  return {
    object: 'replay_plan',
    ...encodeMembers(plan, ['model', 'budget', 'isPartial']),
    data: plan.planned.map((one) => encodeMembers(one, ['requestId', 'modelId', 'cost'])),
    skipped: plan.skipped.map(encodeUnsent),
    estimate: plan.estimate?.map((one) => estimateType.encode(one)) ?? null,
  };
}

const encodeUnsent = (one: UnsentRequest): JsonObject => encodeMembers(one, ['requestId', 'reason']);

const encodeCompared = (compared: ComparedRequest): JsonObject => ({
  was: encodeSide(compared.was),
  now: encodeSide(compared.now),
  ...encodeMembers(compared, ['tools', 'wordsInCommon', 'diff']),
});

const encodeSide = (side: LoggedAnswer): JsonObject => ({
  ...encodeMembers(side, ['requestId', 'modelId', 'providerId', 'cost']),
  ...encodeMembers(side, ['durationMs', 'firstEventMs', 'outputTokens', 'finishReason']),
});

const encodeSummary = (summary: ReplaySummary): JsonObject => ({
  requests: summary.requests,
  was: encodeSums(summary.was),
  now: encodeSums(summary.now),
  ...encodeMembers(summary, ['tools', 'toolAgreement', 'wordsInCommon']),
  skipped: Object.fromEntries(summary.skipped),
  failed: Object.fromEntries(summary.failed),
});

const encodeSums = (sums: ReplaySummary['was']): JsonObject => ({
  ...encodeMembers(sums, ['cost', 'outputTokens', 'medianMs']),
  p95_ms: sums.p95Ms ?? null,
  ...encodeMembers(sums, ['medianFirstEventMs']),
});
