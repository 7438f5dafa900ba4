import { formatCount } from '#base';
import type { ProviderAttempt, ProviderRow } from '#logs';
import type { ReportedCell } from './cells.ts';
import type { Explanation } from './difference.ts';
import { findSubset } from './find-subset.ts';
import {
  type Amounts,
  type Measure,
  inputOf,
  isNothing,
  isTokens,
  listMeasures,
  negate,
  pick,
  subtract,
  sumAmounts,
} from './measures.ts';
import { countsOf } from './logged-sums.ts';

/** Facts from the rows of a bucket and model. */
export interface Evidence {
  rows: readonly ProviderRow[];
  attempts: readonly ProviderAttempt[];
}

/** The explanation of a whole difference; a part of a sum proves nothing about the rest of it. */
export function explainCounts(
  cell: ReportedCell,
  difference: Amounts,
  evidence: Evidence,
): Explanation | undefined {
  return (
    explainUnbilled(cell, difference, evidence) ??
    explainAttempts(difference, evidence) ??
    explainEstimates(cell, difference, evidence)
  );
}

/** The provider did not bill requests whose client disconnected, which the gateway had booked by an estimate. */
function explainUnbilled(
  cell: ReportedCell,
  difference: Amounts,
  { rows }: Evidence,
): Explanation | undefined {
  const estimated = rows.filter(({ isEstimated }) => isEstimated);
  const chosen = findSubset(toCandidates(cell, estimated, difference), negate(difference));
  if (!chosen) return undefined;
  return {
    cause: 'client left',
    text: 'booked by an estimate for clients that disconnected; the provider did not bill it',
    requestIds: chosen.map(({ row }) => row.requestId),
    amounts: difference,
  };
}

/** Calls that failed, timed out or lost a race, of whose prompts the provider billed exactly the tokens. */
export function explainAttempts(difference: Amounts, { attempts }: Evidence): Explanation | undefined {
  const names = listMeasures(difference);
  if (names.some((name) => (difference[name] ?? 0n) < 0n) || (difference.web_searches ?? 0n) > 0n)
    return undefined;
  const { requests } = difference;
  const wanted: Amounts = { input: inputOf(difference), ...(requests !== undefined && { requests }) };
  if (wanted.input === 0n) return undefined;
  const known = attempts.flatMap((attempt) => {
    const { inputTokens } = attempt;
    return inputTokens === undefined || inputTokens === 0
      ? []
      : [{ attempt, amounts: { input: BigInt(inputTokens), requests: 1n } }];
  });
  const chosen = findSubset(known, wanted);
  if (!chosen) return undefined;
  return {
    cause: 'failed call',
    text: describeAttempts(chosen.map(({ attempt }) => attempt)),
    requestIds: [...new Set(chosen.map(({ attempt }) => attempt.requestId))],
    amounts: difference,
  };
}

export function describeAttempts(attempts: readonly ProviderAttempt[]): string {
  const outcomes = [...new Set(attempts.map(({ outcome }) => outcome))];
  return `the provider billed calls whose answer was not used (${outcomes.join(', ')})`;
}

/**
 * Estimated usage may be off by as much as itself. Says nothing about requests: that a row is estimated does not make
 * another one appear.
 */
function explainEstimates(
  cell: ReportedCell,
  difference: Amounts,
  evidence: Evidence,
): Explanation | undefined {
  const estimated = evidence.rows.filter(({ isEstimated }) => isEstimated);
  if (estimated.length === 0) return undefined;
  const sumOf = (rows: readonly ProviderRow[]): Amounts =>
    sumAmounts(toCandidates(cell, rows, difference).map(({ amounts }) => amounts));
  const sum = sumOf(estimated);
  // Without an answer the prompt is estimated, too.
  const unanswered = sumOf(estimated.filter(({ upstreamId }) => upstreamId === undefined));
  const isWithin = (name: Measure): boolean => {
    const [off, most] = [difference[name] ?? 0n, (name === 'output' ? sum : unanswered)[name] ?? 0n];
    return off === 0n || (isTokens(name) && off <= most && off >= -most);
  };
  if (!listMeasures(difference).every(isWithin)) return undefined;
  return {
    cause: 'estimate',
    text: 'the gateway estimated the output for clients that disconnected',
    requestIds: estimated.map(({ requestId }) => requestId),
    amounts: difference,
  };
}

interface Candidate {
  row: ProviderRow;
  amounts: Amounts;
}

function toCandidates(cell: ReportedCell, rows: readonly ProviderRow[], difference: Amounts): Candidate[] {
  return rows.map((row) => ({ row, amounts: pick(countsOf(row, cell.family), listMeasures(difference)) }));
}

/** Requests that are exactly the difference: missing, or billed once more. */
export function findExact(
  cell: ReportedCell,
  difference: Amounts,
  rows: readonly ProviderRow[],
): ProviderRow | undefined {
  const all = toCandidates(cell, rows, difference);
  return all.find(({ amounts }) => !isNothing(amounts) && isNothing(subtract(difference, amounts)))?.row;
}

/** Other rows of the bucket that providers and gateways are known to count differently. */
export function listHints({ rows, attempts }: Evidence): string[] {
  const estimated = rows.filter(({ isEstimated }) => isEstimated);
  return [
    ...(attempts.length > 0
      ? [
          `${formatCount(attempts.length, 'failed call')} there, such as of ${attempts[0]?.requestId}; none fits exactly`,
        ]
      : []),
    ...(estimated.length > 0
      ? [
          `${formatCount(estimated.length, 'request')} there with estimated tokens, such as ${estimated[0]?.requestId}`,
        ]
      : []),
  ];
}
