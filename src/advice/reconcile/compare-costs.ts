import type { PicoUsd } from '#base';
import type { ReportedCell } from './cells.ts';
import type { Difference, DifferenceKind } from './difference.ts';
import { type ComparisonInput, type UsageDifference, explainNotFinal } from './compare-usage.ts';
import { explainCost, listPriceHints } from './explain-cost.ts';

interface CostComparing extends ComparisonInput {
  /** Pico-USD by which a bucket's cost may be off. */
  tolerance: PicoUsd;
  usage: readonly UsageDifference[];
  /** Whether the export has usage. */
  hasUsage: boolean;
}

/** Costs that differ by more than the differing usage costs. Notes the reported cost in differences of usage. */
export async function compareCosts(
  cells: readonly ReportedCell[],
  comparing: CostComparing,
): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const cell of cells) {
    const gap = findGap(cell, comparing);
    if (gap !== undefined) found.push(await describe(cell, gap, comparing));
  }
  return found;
}

interface Gap {
  theirs: PicoUsd;
  ours: PicoUsd;
  rest: PicoUsd;
}

function findGap(cell: ReportedCell, { sums, usage, tolerance }: CostComparing): Gap | undefined {
  const theirs = cell.amounts.cost ?? 0n;
  const ours = sums.sum(cell.from, cell.to, cell.family).cost ?? 0n;
  const off = theirs - ours;
  const inside = usage.filter(
    ({ from, to, model }) =>
      from >= cell.from && to <= cell.to && (cell.family === undefined || model === cell.family),
  );
  const unpriced = inside.find(({ cost }) => cost === undefined);
  const twin = inside.find(
    ({ from, to, model }) => from === cell.from && to === cell.to && model === cell.family,
  );
  const expected = inside.reduce((sum, { cost = 0n }) => sum + cost, 0n);
  if (twin) {
    const isProven = twin.explanation !== undefined && twin.cost !== undefined;
    twin.cost = off;
    if (!isProven || isWithin(off - expected, tolerance)) return undefined;
    // The usage explains only a part of the cost.
    twin.cost = expected;
    return { theirs, ours, rest: off - expected };
  }
  if (isWithin(off, tolerance) || isWithin(off - expected, tolerance)) return undefined;
  if (unpriced) {
    unpriced.cost = off - expected;
    return undefined;
  }
  return isCostOf(inside, off) ? undefined : { theirs, ours, rest: off - expected };
}

/** Above this many sums the search for applicable prices is skipped. */
const MOST_SUMS = 20_000;

/** Whether differences of usage, or some of them, cost an amount at prices that may have applied; notes these prices. */
function isCostOf(differences: readonly UsageDifference[], amount: PicoUsd): boolean {
  let sums = new Map<PicoUsd, PicoUsd[]>([[0n, []]]);
  for (const { costs } of differences) {
    const next = new Map<PicoUsd, PicoUsd[]>();
    for (const [total, chosen] of sums)
      for (const cost of [...costs, 0n]) next.set(total + cost, [...chosen, cost]);
    if (next.size > MOST_SUMS) return false;
    sums = next;
  }
  const found = sums.get(amount);
  if (!found) return false;
  for (const [at, one] of differences.entries()) one.cost = found[at] ?? 0n;
  return true;
}

const isWithin = (amount: PicoUsd, tolerance: PicoUsd): boolean =>
  amount <= tolerance && amount >= -tolerance;

async function describe(cell: ReportedCell, gap: Gap, comparing: CostComparing): Promise<Difference> {
  const { reader, sums, hasUsage, finalUntil } = comparing;
  const { theirs, ours, rest } = gap;
  const { from, to, family, listCost } = cell;
  const marked = await reader.listMarked(cell);
  const explanation =
    explainNotFinal(cell, { cost: rest }, finalUntil) ??
    explainCost({ ...gap, listCost, marked, isCostAlone: !hasUsage });
  const price = await reader.findPrice(cell);
  const around = { usage: sums.sum(from, to, family), price, factors: reader.factors };
  const kind: DifferenceKind =
    ours === 0n ? 'missing here' : theirs === 0n ? 'missing there' : 'cost differs';
  return {
    kind,
    from,
    to,
    requestIds: [],
    places: cell.places,
    ...(family !== undefined && { model: family }),
    theirs: { cost: theirs },
    ours: { cost: ours },
    cost: rest,
    ...(explanation && { explanation }),
    hints: explanation ? [] : listPriceHints(gap, around),
  };
}
