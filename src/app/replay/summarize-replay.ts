import type { PicoUsd } from '#base';
import type { LoggedAnswer, ReplayReport, ToolAgreement, UnsentRequest } from './report.ts';

interface Sums {
  cost: PicoUsd;
  outputTokens: number;
  /** Absent where nothing was compared. */
  medianMs?: number;
  p95Ms?: number;
  /** The median of answers, streamed and not, whose first event was measured. */
  medianFirstEventMs?: number;
}

/** The compared requests in total. */
export interface ReplaySummary {
  requests: number;
  was: Sums;
  now: Sums;
  tools: Record<ToolAgreement, number>;
  /** Share of the requests in which either answer calls tools whose calls are the same; absent if there is none. */
  toolAgreement?: number;
  /** Median share of words; absent if no answer has text. */
  wordsInCommon?: number;
  /** Numbers by reason, the largest first. */
  skipped: [reason: string, requests: number][];
  failed: [code: string, requests: number][];
}

/** Sums up a replay. Pure. */
export function summarizeReplay({ compared, failed, skipped }: Summed): ReplaySummary {
  const tools = { same: 0, same_tools: 0, different: 0, none: 0 };
  for (const { tools: agreement } of compared) tools[agreement] += 1;
  const calling = compared.length - tools.none;
  const wordsInCommon = findQuantile(
    compared.flatMap(({ wordsInCommon: share }) => share ?? []),
    0.5,
  );
  return {
    requests: compared.length,
    was: sumUp(compared.map(({ was }) => was)),
    now: sumUp(compared.map(({ now }) => now)),
    tools,
    ...(calling > 0 && { toolAgreement: tools.same / calling }),
    ...(wordsInCommon !== undefined && { wordsInCommon }),
    skipped: countReasons(skipped),
    failed: countReasons(failed.map(({ requestId, code }) => ({ requestId, reason: code }))),
  };
}

type Summed = Pick<ReplayReport, 'compared' | 'failed' | 'skipped'>;

function sumUp(sides: readonly LoggedAnswer[]): Sums {
  const durations = sides.map(({ durationMs }) => durationMs);
  const medianMs = findQuantile(durations, 0.5);
  const p95Ms = findQuantile(durations, 0.95);
  const medianFirstEventMs = findQuantile(
    sides.flatMap(({ firstEventMs }) => firstEventMs ?? []),
    0.5,
  );
  return {
    cost: sides.reduce((sum, { cost }) => sum + cost, 0n),
    outputTokens: sides.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    ...(medianMs !== undefined && { medianMs }),
    ...(p95Ms !== undefined && { p95Ms }),
    ...(medianFirstEventMs !== undefined && { medianFirstEventMs }),
  };
}

/** The smallest value that at least this share of the values does not exceed. */
function findQuantile(values: readonly number[], share: number): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)];
}

/** Why a request cannot be replayed whose project stored no payload of it. */
export const NOT_KEPT = 'no payload kept';

/** The numbers of requests by reason. Pure. */
export function countReasons(requests: readonly UnsentRequest[]): [reason: string, requests: number][] {
  const groups = Map.groupBy(requests, ({ reason }) => reason);
  return [...groups]
    .map(([reason, some]) => [reason, some.length] as [string, number])
    .toSorted((a, b) => b[1] - a[1]);
}
