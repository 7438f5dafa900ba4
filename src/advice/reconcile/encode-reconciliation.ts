import { type JsonObject, type PicoUsd, formatUsd } from '#base';
import type { Difference } from './difference.ts';
import { type Amounts, listMeasures } from './measures.ts';
import type { Reconciliation } from './reconcile.ts';

/** The sums of differences: of all, and of those that nothing explains. Theirs − ours. */
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
  const { providerId, since, until, tolerance, differences, borders, coverage } = found;
  const totals = sumDifferences(differences);
  return {
    object: 'reconciliation',
    provider_id: providerId,
    since: toTime(since),
    until: toTime(until),
    tolerance: formatUsd(tolerance),
    agrees: totals.unexplained === 0,
    differences: totals.differences,
    unexplained: totals.unexplained,
    cost: formatUsd(totals.cost),
    unexplained_cost: formatUsd(totals.unexplainedCost),
    data: differences.map(encodeDifference),
    counted_by: borders.countedBy,
    other_hour: borders.shifts.map(({ from, to, requestIds }) => ({
      from: toTime(from),
      to: toTime(to),
      request_ids: [...requestIds],
    })),
    coverage: {
      usage: coverage.usage,
      costs: coverage.costs,
      requests: coverage.requests,
      models: coverage.models,
      rows: coverage.rows,
      cost: formatUsd(coverage.cost),
      remarks: coverage.remarks,
    },
  };
}

function encodeDifference(difference: Difference): JsonObject {
  const { kind, from, to, model, upstreamId, requestIds, places, theirs, ours, cost, explanation, hints } =
    difference;
  return {
    object: 'difference',
    kind,
    from: toTime(from),
    to: toTime(to),
    model: model ?? null,
    upstream_id: upstreamId ?? null,
    request_ids: [...requestIds],
    places: [...places],
    theirs: encodeAmounts(theirs),
    ours: encodeAmounts(ours),
    cost: cost === undefined ? null : formatUsd(cost),
    explanation: explanation
      ? {
          cause: explanation.cause,
          text: explanation.text,
          request_ids: [...explanation.requestIds],
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

const toTime = (moment: number): string => new Date(moment).toISOString();
