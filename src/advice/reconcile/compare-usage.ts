import type { PicoUsd } from '#base';
import type { Price } from '#catalogue';
import type { ProviderRow } from '#logs';
import type { ReportedCell } from './cells.ts';
import type { Difference, DifferenceKind, Explanation } from './difference.ts';
import type { EvidenceReader } from './evidence.ts';
import { differenceOf } from './bucket-boundaries.ts';
import { multiply } from './explain-cost.ts';
import { type Evidence, explainAttempts, explainCounts, findExact, listHints } from './explain-counts.ts';
import { type Amounts, inputOf, isNothing, listMeasures, negate, pick, priceTokens } from './measures.ts';
import { type LoggedSums, listShares } from './logged-sums.ts';

/** A difference in usage. */
export interface UsageDifference extends Difference {
  /** The possible costs of its tokens: at the price of the model, and with the modifiers and tiers of its requests. */
  costs: readonly PicoUsd[];
}

/** The compared sums, and until when a report may still grow. */
export interface ComparisonInput {
  sums: LoggedSums;
  reader: EvidenceReader;
  finalUntil: number;
}

/** Usage that differs, per bucket and family. */
export async function compareUsage(
  cells: readonly ReportedCell[],
  comparing: ComparisonInput,
): Promise<UsageDifference[]> {
  const found: UsageDifference[] = [];
  for (const cell of cells) {
    const off = differenceOf(cell, comparing.sums);
    if (!isNothing(off)) found.push(await describe(cell, off, comparing));
  }
  return found;
}

async function describe(
  cell: ReportedCell,
  off: Amounts,
  comparing: ComparisonInput,
): Promise<UsageDifference> {
  const { sums, reader, finalUntil } = comparing;
  const evidence = await reader.read(cell);
  const missing = findExact(cell, negate(off), evidence.rows);
  const twice = findExact(cell, off, evidence.rows);
  const exact = missing ?? twice;
  const explanation =
    explainNotFinal(cell, off, finalUntil) ?? explainUnlessExact(cell, off, { ...evidence, missing, twice });
  const ours = pick(sums.sum(cell.from, cell.to, cell.family), listMeasures(cell.amounts));
  const kind =
    explanation?.cause === 'failed call'
      ? 'missing here'
      : classify({ theirs: cell.amounts, ours, off }, { missing, twice });
  const price = await reader.findPrice(cell);
  const costs = exact ? [costOf(exact, cell, missing ? -1n : 1n)] : listCosts(off, price, evidence.rows);
  const [cost] = costs;
  return {
    kind,
    costs,
    from: cell.from,
    to: cell.to,
    ours,
    theirs: cell.amounts,
    places: cell.places,
    ...(cell.family !== undefined && { model: cell.family }),
    requestIds: exact ? [exact.requestId] : [],
    ...(cost !== undefined && { cost }),
    ...(explanation && { explanation }),
    hints: explanation || exact ? [] : listHints(evidence),
  };
}

interface Exact {
  missing: ProviderRow | undefined;
  twice: ProviderRow | undefined;
}

/** A request that equals the missing usage is missing. One that is billed again may have been called again. */
function explainUnlessExact(
  cell: ReportedCell,
  off: Amounts,
  exact: Evidence & Exact,
): Explanation | undefined {
  const { missing, twice } = exact;
  if (missing && !missing.isEstimated) return undefined;
  return twice ? explainAttempts(off, exact) : explainCounts(cell, off, exact);
}

function costOf(row: ProviderRow, { family }: ReportedCell, sign: bigint): bigint {
  const shares = listShares(row).filter((share) => family === undefined || share.family === family);
  return shares.reduce((sum, { amounts }) => sum + sign * (amounts.cost ?? 0n), 0n);
}

function listCosts(off: Amounts, price: Price | undefined, rows: readonly ProviderRow[]): PicoUsd[] {
  if (!price) return [];
  const factors = new Set(
    rows.flatMap(({ parts = [] }) => parts.flatMap((part) => part.factors.map(({ factor }) => factor))),
  );
  const prices = [price, ...price.tiers.map(({ parts }) => ({ ...price, parts }))];
  const bases = prices.map((one) => priceTokens(one, off));
  return [
    ...new Set(bases.flatMap((base) => [base, ...[...factors].map((factor) => multiply(base, factor))])),
  ];
}

/** A report that is not final yet only lacks something. */
export function explainNotFinal(
  { to }: Pick<ReportedCell, 'to'>,
  off: Amounts,
  finalUntil: number,
): Explanation | undefined {
  const lacks = listMeasures(off).every((name) => (off[name] ?? 0n) <= 0n);
  if (!lacks || to <= finalUntil) return undefined;
  const text = 'the provider may still add to it: it is provisional for 24 hours';
  return { cause: 'not final', text, requestIds: [], amounts: off };
}

interface Sides {
  theirs: Amounts;
  ours: Amounts;
  off: Amounts;
}

function classify({ theirs, ours, off }: Sides, { missing, twice }: Exact): DifferenceKind {
  if (isNothing(ours)) return 'missing here';
  if (missing || isNothing(theirs)) return 'missing there';
  if (twice) return 'counted twice';
  const { requests = 0n, output = 0n } = off;
  if (requests !== 0n) return requests > 0n ? 'missing here' : 'missing there';
  if (off.requests !== undefined) return 'tokens differ';
  const input = inputOf(off);
  if (input > 0n && output > 0n) return 'missing here';
  return input < 0n && output < 0n ? 'missing there' : 'tokens differ';
}
