import type { ProviderRow } from '#logs';
import type { ReportedCell } from './cells.ts';
import type { BucketShift } from './difference.ts';
import { findSubset } from './find-subset.ts';
import {
  type Amounts,
  isNothing,
  listMeasures,
  negate,
  pick,
  subtract,
  sumAmounts,
  withoutCost,
} from './measures.ts';
import { type LoggedSums, type Share, listShares } from './logged-sums.ts';

/** A request that ended in another bucket than it started in. */
interface CrossingRequest {
  row: ProviderRow;
  shares: Share[];
  /** The bucket it counts in now, and the other it may count in. */
  home: number;
  other: number;
}

/** Whether the provider counts requests when they start or when they end, and the exceptions. */
export interface Boundaries {
  countedBy: 'start' | 'end';
  shifts: BucketShift[];
}

interface Comparison {
  sums: LoggedSums;
  cells: readonly ReportedCell[];
  widthMs: number;
}

/**
 * Providers do not document in which bucket they count a request that crosses a boundary. Moves requests in the sums to
 * where the export agrees: all of them, if more buckets agree then, and single ones whose move makes a bucket agree exactly.
 */
export function settleBoundaries(comparison: Comparison, rows: readonly ProviderRow[]): Boundaries {
  const { sums, widthMs } = comparison;
  const floor = (moment: number): number => Math.floor(moment / widthMs) * widthMs;
  const crossing = rows.flatMap((row): CrossingRequest[] => {
    const [home, other] = [floor(row.startedAt), floor(row.endedAt)];
    return home === other ? [] : [{ row, shares: listShares(row), home, other }];
  });
  const before = countDiffering(comparison);
  if (before === 0 || crossing.length === 0) return { countedBy: 'start', shifts: [] };
  for (const one of crossing) move(sums, one);
  const isByEnd = countDiffering(comparison) < before;
  if (!isByEnd) for (const one of crossing) move(sums, one);
  moveSome(comparison, crossing);
  return { countedBy: isByEnd ? 'end' : 'start', shifts: listShifts(crossing, floor) };
}

function listShifts(crossing: readonly CrossingRequest[], floor: (moment: number) => number): BucketShift[] {
  const moved = crossing.filter(({ row, home }) => home !== floor(row.startedAt));
  return [...Map.groupBy(moved, ({ home, other }) => `${other} ${home}`).values()].map((some) => ({
    from: some[0]?.other ?? 0,
    to: some[0]?.home ?? 0,
    requestIds: some.map(({ row }) => row.requestId),
  }));
}

function move(sums: LoggedSums, one: CrossingRequest): void {
  const { shares, home, other } = one;
  sums.move(shares, home, other);
  [one.home, one.other] = [other, home];
}

function countDiffering({ sums, cells }: Comparison): number {
  return cells.filter((cell) => !isNothing(differenceOf(cell, sums))).length;
}

/** Theirs − ours; of the tokens, if there are any. */
export function differenceOf(cell: ReportedCell, sums: LoggedSums): Amounts {
  return subtract(cell.amounts, sums.sum(cell.from, cell.to, cell.family));
}

function moveSome(comparison: Comparison, crossing: readonly CrossingRequest[]): void {
  const pairs = Map.groupBy(crossing, ({ home, other }) => `${home} ${other}`);
  for (const group of [...pairs.values()].toSorted((a, b) => (a[0]?.home ?? 0) - (b[0]?.home ?? 0)))
    for (const one of findMoves(comparison, group)) move(comparison.sums, one);
}

/** The requests, per family, whose move makes the bucket they leave or enter agree. */
function findMoves({ sums, cells }: Comparison, group: readonly CrossingRequest[]): CrossingRequest[] {
  const families = new Set(group.flatMap(({ shares }) => shares.map(({ family }) => family)));
  const moves = new Set<CrossingRequest>();
  for (const family of families) {
    const find = (at: number): ReportedCell | undefined =>
      cells.find(
        (cell) => at >= cell.from && at < cell.to && (cell.family === undefined || cell.family === family),
      );
    const [home, other] = [find(group[0]?.home ?? 0), find(group[0]?.other ?? 0)];
    if (home === other) continue;
    const own = group.filter((one) => !moves.has(one) && one.shares.some((share) => share.family === family));
    const ours = { sums, own };
    const moved = findMoved(home, ours, 'leaving') ?? findMoved(other, ours, 'entering') ?? [];
    for (const { one } of moved) moves.add(one);
  }
  return [...moves];
}

interface Candidate {
  one: CrossingRequest;
  amounts: Amounts;
}

const toCandidates = (cell: ReportedCell, own: readonly CrossingRequest[]): Candidate[] =>
  own.map((one) => {
    const shares = one.shares.filter(({ family }) => cell.family === undefined || family === cell.family);
    const sum = sumAmounts(shares.map(({ amounts }) => amounts));
    return {
      one,
      amounts: pick(cell.kind === 'cost' ? sum : withoutCost(sum), listMeasures(cell.amounts)),
    };
  });

/** The requests that explain the whole difference of a bucket by having moved into or out of it. */
function findMoved(
  cell: ReportedCell | undefined,
  { sums, own }: { sums: LoggedSums; own: readonly CrossingRequest[] },
  direction: 'leaving' | 'entering',
): Candidate[] | undefined {
  if (!cell) return undefined;
  const difference = differenceOf(cell, sums);
  if (isNothing(difference)) return undefined;
  return findSubset(toCandidates(cell, own), direction === 'leaving' ? negate(difference) : difference);
}
