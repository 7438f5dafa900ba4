import { type JsonObject, type PicoUsd, encodeMembers, encodeTime, formatUsd } from '#base';
import type { Difference } from './difference.ts';
import { type Amounts, listMeasures } from './measures.ts';
import type { Reconciliation } from './reconcile.ts';

/** The sums of all differences, and of the unexplained ones. Theirs − ours. */
interface Totals {
  differences: number;
  unexplained: number;
  cost: PicoUsd;
  unexplainedCost: PicoUsd;
  /** Differences of models without a known price. */
  unpriced: number;
}

export function sumDifferences(differences: readonly Difference[]): Totals {
  const open = differences.filter(({ explanation }) => !explanation);
  const sum = (some: readonly Difference[]): PicoUsd =>
    some.reduce((total, { cost = 0n }) => total + cost, 0n);
  return {
    differences: differences.length,
    unexplained: open.length,
    cost: sum(differences),
    unexplainedCost: sum(open),
    unpriced: differences.filter(({ cost }) => cost === undefined).length,
  };
}

export function encodeReconciliation(found: Reconciliation): JsonObject {
  const { differences, boundaries } = found;
  const totals = sumDifferences(differences);
  return {
    object: 'reconciliation',
    provider_id: found.providerId,
    since: encodeTime(found.since),
    until: encodeTime(found.until),
    tolerance: formatUsd(found.tolerance),
    agrees: totals.unexplained === 0,
    ...encodeMembers(totals, ['differences', 'unexplained', 'cost', 'unexplainedCost']),
    data: differences.map(encodeDifference),
    counted_by: boundaries.countedBy,
    other_hour: boundaries.shifts.map(({ from, to, requestIds }) => ({
      from: encodeTime(from),
      to: encodeTime(to),
      request_ids: [...requestIds],
    })),
    coverage: {
      ...encodeMembers(found.coverage, ['usage', 'costs', 'requests', 'models']),
      ...encodeMembers(found.coverage, ['rows', 'cost', 'remarks']),
    },
  };
}

function encodeDifference(difference: Difference): JsonObject {
  const { kind, from, to, theirs, ours, explanation, hints } = difference;
  return {
    object: 'difference',
    kind,
    from: encodeTime(from),
    to: encodeTime(to),
    ...encodeMembers(difference, ['model', 'upstreamId', 'requestIds', 'places']),
    theirs: encodeAmounts(theirs),
    ours: encodeAmounts(ours),
    ...encodeMembers(difference, ['cost']),
    explanation: explanation
      ? {
          ...encodeMembers(explanation, ['cause', 'text', 'requestIds']),
          amounts: encodeAmounts(explanation.amounts),
        }
      : null,
    hints: [...hints],
  };
}

const encodeAmounts = (amounts: Amounts): JsonObject =>
  Object.fromEntries(
    listMeasures(amounts).map((name) => [
      name,
      name === 'cost' ? formatUsd(amounts[name] ?? 0n) : Number(amounts[name]),
    ]),
  );
