import { type PicoUsd, append, formatCount } from '#base';
import type { LoggedSums } from './logged-sums.ts';
import {
  type Amounts,
  type Measure,
  addTo,
  isNothing,
  listMeasures,
  pick,
  sumAmounts,
  withoutCost,
} from './measures.ts';
import { type ProviderReport, type ReportLine, familyOf } from './report-line.ts';

/** The provider's report on a bucket and a family of models. */
export interface ReportedCell {
  kind: 'usage' | 'cost';
  from: number;
  to: number;
  /** Absent for all models together. */
  family?: string;
  amounts: Amounts;
  /** Its cost without discounts, where all of its lines have one. */
  listCost?: PicoUsd;
  /** Where its lines are. */
  places: string[];
}

export interface Plan {
  usage: ReportedCell[];
  costs: ReportedCell[];
  requests: ReportLine[];
  /** Lines that are there twice; in no cell. */
  doubles: ReportLine[];
  /** The buckets and models that the export covers. */
  since: number;
  until: number;
  covers: Record<ReportedCell['kind'], Cover | undefined>;
  /** The width of the narrowest bucket; at most an hour. */
  widthMs: number;
  remarks: string[];
}

/** The buckets that an export reports on. */
interface Cover {
  widthMs: number;
  since: number;
  until: number;
}

interface Bounds {
  since?: number | undefined;
  until?: number | undefined;
}

const HOUR_MS = 3_600_000;
/** The measures compared where a report has no line at all. */
const NAMES: Record<ReportedCell['kind'], readonly Measure[]> = {
  usage: ['input', 'output'],
  cost: ['cost'],
};

/** Adds up the lines of an export per bucket and family, within the given bounds or the export's own. */
export function planCells(report: ProviderReport, bounds: Bounds = {}): Plan {
  const { doubles, lines } = takeDoubles(report.lines);
  const remarks = [...report.remarks];
  const { since, until } = boundsOf(report, bounds);
  const inside = lines.filter(({ from, to }) => from >= since && to <= until && from < until);
  if (inside.length < lines.length)
    remarks.push(
      `not compared: ${formatCount(lines.length - inside.length, 'line')} of the export outside this time`,
    );
  const counted = inside.filter(({ kind }) => kind === 'usage');
  const priced = inside.filter(({ kind, amounts }) => kind !== 'request' && amounts.cost !== undefined);
  const usage = keepNarrowest(counted, remarks);
  const costs = keepNarrowest(priced, remarks);
  const cover = (kind: ReportedCell['kind'], kept: readonly ReportLine[]): Cover | undefined => {
    const widthMs = kept.length === 0 ? report.widths?.[kind] : (kept[0]?.to ?? 0) - (kept[0]?.from ?? 0);
    const own = report.buckets.filter((bucket) => bucket.kind === kind);
    return widthMs === undefined ? undefined : { widthMs, ...boundsOf({ lines: [], buckets: own }, bounds) };
  };
  const covers = { usage: cover('usage', usage), cost: cover('cost', costs) };
  return {
    usage: toCells('usage', usage),
    costs: mergeUnnamed(toCells('cost', costs)),
    requests: inside.filter(({ kind }) => kind === 'request'),
    doubles: doubles.filter(({ from, to }) => from >= since && to <= until),
    covers,
    since,
    until,
    remarks,
    widthMs: Math.min(HOUR_MS, covers.usage?.widthMs ?? HOUR_MS, covers.cost?.widthMs ?? HOUR_MS),
  };
}

/** Requests are known to be complete for whole hours. */
function boundsOf(
  { lines, buckets }: Pick<ProviderReport, 'lines' | 'buckets'>,
  bounds: Bounds,
): { since: number; until: number } {
  const requests = lines.filter(({ kind }) => kind === 'request').map(({ from }) => from);
  const hours = requests.map((from) => Math.floor(from / HOUR_MS) * HOUR_MS);
  const starts = [...buckets.map(({ from }) => from), ...hours];
  const ends = [...buckets.map(({ to }) => to), ...hours.map((hour) => hour + HOUR_MS)];
  return {
    since: bounds.since ?? starts.reduce((least, one) => Math.min(least, one), Infinity),
    until: bounds.until ?? ends.reduce((most, one) => Math.max(most, one), -Infinity),
  };
}

/** Adds empty cells for usage of the gateway in buckets that the export covers without a line. */
export function fillCells(plan: Plan, kind: ReportedCell['kind'], sums: LoggedSums): ReportedCell[] {
  const cells = kind === 'usage' ? plan.usage : plan.costs;
  const cover = plan.covers[kind];
  if (!cover) return [];
  const { widthMs, since, until } = cover;
  const names = cells[0] ? listMeasures(cells[0].amounts) : NAMES[kind];
  const filled = new Map(cells.map((cell) => [`${cell.from} ${cell.family ?? ''}`, cell]));
  const totals = new Set(cells.filter(({ family }) => family === undefined).map(({ from }) => from));
  const isTotal = cells.length > 0 && totals.size === new Set(cells.map(({ from }) => from)).size;
  for (const { at, family: own, amounts } of sums.listBuckets()) {
    const from = Math.floor(at / widthMs) * widthMs;
    if (from < since || from + widthMs > until || totals.has(from)) continue;
    if (isNothing(pick(amounts, names))) continue;
    const family = isTotal ? undefined : own;
    const key = `${from} ${family ?? ''}`;
    if (filled.has(key)) continue;
    const none = Object.fromEntries(names.map((name) => [name, 0n]));
    const bucket = { kind, from, to: from + widthMs, amounts: none, places: [] };
    filled.set(key, { ...bucket, ...(family !== undefined && { family }) });
  }
  return [...filled.values()].toSorted((a, b) => a.from - b.from);
}

/** The same bucket and facts, or the same request, more than once. */
function takeDoubles(lines: readonly ReportLine[]): Pick<Plan, 'doubles'> & { lines: ReportLine[] } {
  const seen = new Set<string>();
  const doubles: ReportLine[] = [];
  const kept = lines.filter((line) => {
    const { kind, from, to, model, upstreamId } = line;
    const facts = Object.entries(line.facts).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify(upstreamId === undefined ? [kind, from, to, model, facts] : [upstreamId]);
    if (!seen.has(key)) return seen.add(key);
    doubles.push(line);
    return false;
  });
  return { doubles, lines: kept };
}

/** The same usage per hour and per day would be compared twice. */
function keepNarrowest(lines: readonly ReportLine[], remarks: string[]): ReportLine[] {
  const least = lines.reduce((width, { from, to }) => Math.min(width, to - from), Infinity);
  const kept = lines.filter(({ from, to }) => to - from === least);
  if (kept.length < lines.length)
    remarks.push(`not compared: ${formatCount(lines.length - kept.length, 'line')} of wider buckets`);
  return kept;
}

function toCells(kind: ReportedCell['kind'], lines: readonly ReportLine[]): ReportedCell[] {
  const cells = new Map<string, ReportedCell>();
  const discounted = new Set<ReportedCell>();
  for (const { from, to, model, amounts, listCost, place } of lines) {
    const family = model === undefined ? undefined : familyOf(model);
    const key = `${from} ${to} ${family ?? ''}`;
    const cell = cells.get(key) ?? {
      kind,
      from,
      to,
      ...(family !== undefined && { family }),
      amounts: {},
      places: [],
    };
    cells.set(key, cell);
    addTo(cell.amounts, kind === 'cost' ? pick(amounts, ['cost']) : withoutCost(amounts));
    cell.places.push(place);
    if (listCost !== undefined) cell.listCost = (cell.listCost ?? 0n) + listCost;
    else discounted.add(cell);
  }
  for (const cell of discounted) delete cell.listCost;
  return [...cells.values()].toSorted((a, b) => a.from - b.from);
}

/** Web searches and the like have no model in reports of costs: only the total of such a bucket can be compared. */
function mergeUnnamed(cells: readonly ReportedCell[]): ReportedCell[] {
  const merged: ReportedCell[] = [];
  for (const bucket of Map.groupBy(cells, ({ from }) => from).values()) {
    const named = bucket.filter(({ family }) => family !== undefined);
    const unnamed = bucket.filter(({ family, amounts }) => family === undefined && amounts.cost !== 0n);
    if (unnamed.length === 0 && named.length > 0) append(merged, named);
    else merged.push(...bucket.slice(0, 1).map((first) => sumCells(first, bucket)));
  }
  return merged;
}

function sumCells({ kind, from, to }: ReportedCell, cells: readonly ReportedCell[]): ReportedCell {
  const amounts = sumAmounts(cells.map((cell) => cell.amounts));
  const listCosts = cells.flatMap(({ listCost }) => listCost ?? []);
  const isListed = listCosts.length === cells.length;
  return {
    kind,
    from,
    to,
    amounts,
    places: cells.flatMap(({ places }) => places),
    ...(isListed && { listCost: listCosts.reduce((sum, one) => sum + one, 0n) }),
  };
}
