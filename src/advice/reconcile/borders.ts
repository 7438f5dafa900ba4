import type { ProviderRow } from '#logs';
import type { Cell } from './cells.ts';
import type { Shift } from './difference.ts';
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
import { type OurBooks, type Share, listShares } from './our-books.ts';

/** A request that ended in another bucket than it started in. */
interface Crosser {
  row: ProviderRow;
  shares: Share[];
  /** Where it counts now, and where it may. */
  home: number;
  other: number;
}

/** Whether the provider counts requests when they start or when they end, and which it counts otherwise. */
export interface Borders {
  countedBy: 'start' | 'end';
  shifts: Shift[];
}

interface Comparison {
  books: OurBooks;
  cells: readonly Cell[];
  widthMs: number;
}

/**
 * Providers do not document in which bucket they count a request that crosses a border. Moves requests in the books to
 * where the export agrees: all of them, if more buckets agree then, and single ones whose move makes a bucket agree exactly.
 */
export function settleBorders(comparison: Comparison, rows: readonly ProviderRow[]): Borders {
  const { books, widthMs } = comparison;
  const floor = (moment: number): number => Math.floor(moment / widthMs) * widthMs;
  const crossers = rows.flatMap((row): Crosser[] => {
    const [home, other] = [floor(row.startedAt), floor(row.endedAt)];
    return home === other ? [] : [{ row, shares: listShares(row), home, other }];
  });
  const before = countDiffering(comparison);
  if (before === 0 || crossers.length === 0) return { countedBy: 'start', shifts: [] };
  for (const one of crossers) move(books, one);
  const isByEnd = countDiffering(comparison) < before;
  if (!isByEnd) for (const one of crossers) move(books, one);
  moveSome(comparison, crossers);
  return { countedBy: isByEnd ? 'end' : 'start', shifts: listShifts(crossers, floor) };
}

function listShifts(crossers: readonly Crosser[], floor: (moment: number) => number): Shift[] {
  const moved = crossers.filter(({ row, home }) => home !== floor(row.startedAt));
  return [...Map.groupBy(moved, ({ home, other }) => `${other} ${home}`).values()].map((some) => ({
    from: some[0]?.other ?? 0,
    to: some[0]?.home ?? 0,
    requestIds: some.map(({ row }) => row.requestId),
  }));
}

function move(books: OurBooks, crosser: Crosser): void {
  const { shares, home, other } = crosser;
  books.move(shares, home, other);
  [crosser.home, crosser.other] = [other, home];
}

function countDiffering({ books, cells }: Comparison): number {
  return cells.filter((cell) => !isNothing(differenceOf(cell, books))).length;
}

/** Theirs − ours; of the tokens, if there are any. */
export function differenceOf(cell: Cell, books: OurBooks): Amounts {
  return subtract(cell.amounts, books.sum(cell.from, cell.to, cell.family));
}

function moveSome(comparison: Comparison, crossers: readonly Crosser[]): void {
  const pairs = Map.groupBy(crossers, ({ home, other }) => `${home} ${other}`);
  for (const group of [...pairs.values()].toSorted((a, b) => (a[0]?.home ?? 0) - (b[0]?.home ?? 0)))
    for (const one of findMoves(comparison, group)) move(comparison.books, one);
}

/** Those whose move makes the bucket that they leave or enter agree, per family. */
function findMoves({ books, cells }: Comparison, group: readonly Crosser[]): Crosser[] {
  const families = new Set(group.flatMap(({ shares }) => shares.map(({ family }) => family)));
  const moves = new Set<Crosser>();
  for (const family of families) {
    const find = (at: number): Cell | undefined =>
      cells.find(
        (cell) => at >= cell.from && at < cell.to && (cell.family === undefined || cell.family === family),
      );
    const [home, other] = [find(group[0]?.home ?? 0), find(group[0]?.other ?? 0)];
    if (home === other) continue;
    const own = group.filter((one) => !moves.has(one) && one.shares.some((share) => share.family === family));
    const ours = { books, own };
    const moved = findMoved(home, ours, 'leaving') ?? findMoved(other, ours, 'entering') ?? [];
    for (const { crosser } of moved) moves.add(crosser);
  }
  return [...moves];
}

interface Candidate {
  crosser: Crosser;
  amounts: Amounts;
}

const toCandidates = (cell: Cell, own: readonly Crosser[]): Candidate[] =>
  own.map((crosser) => {
    const shares = crosser.shares.filter(({ family }) => cell.family === undefined || family === cell.family);
    const sum = sumAmounts(shares.map(({ amounts }) => amounts));
    return {
      crosser,
      amounts: pick(cell.kind === 'cost' ? sum : withoutCost(sum), listMeasures(cell.amounts)),
    };
  });

/** The requests whose move out of a bucket, or into it, explains all of its difference. */
function findMoved(
  cell: Cell | undefined,
  { books, own }: { books: OurBooks; own: readonly Crosser[] },
  direction: 'leaving' | 'entering',
): Candidate[] | undefined {
  if (!cell) return undefined;
  const difference = differenceOf(cell, books);
  if (isNothing(difference)) return undefined;
  return findSubset(toCandidates(cell, own), direction === 'leaving' ? negate(difference) : difference);
}
