import { formatCount } from '#base';
import type { PicoUsd } from '#base';
import type { ProviderAttempt, ProviderRow } from '#logs';
import type { Difference, DifferenceKind, Explanation } from './difference.ts';
import type { EvidenceReader } from './evidence.ts';
import { describeAttempts } from './explain-counts.ts';
import { explainCost, listPriceHints } from './explain-cost.ts';
import {
  type Amounts,
  inputOf,
  isNothing,
  listMeasures,
  measure,
  negate,
  pick,
  priceTokens,
  subtract,
  withoutCost,
} from './measures.ts';
import { type ReportLine, familyOf } from './report-line.ts';

const HOUR_MS = 3_600_000;
/** Providers may keep generating for a while after a call is abandoned. */
const SLACK_MS = 60_000;

interface RequestComparing {
  reader: EvidenceReader;
  tolerance: PicoUsd;
  since: number;
  until: number;
  finalUntil: number;
}

interface ComparedRequests {
  differences: Difference[];
  /** Requests with a line. */
  matched: number;
  /** Requests that the export has in another hour, because they ended in it. */
  endedLater: number;
  remarks: string[];
}

/** Compares lines with the rows of the same upstream id. */
export async function compareRequests(
  lines: readonly ReportLine[],
  rows: readonly ProviderRow[],
  comparing: RequestComparing,
): Promise<ComparedRequests> {
  const byId = new Map(rows.flatMap((row) => (row.upstreamId === undefined ? [] : [[row.upstreamId, row]])));
  const matcher = new LineMatcher(rows, await comparing.reader.listAttempts());
  const result: ComparedRequests = { differences: [], matched: 0, endedLater: 0, remarks: [] };
  const billed = new Set<ProviderRow>();
  for (const line of lines) {
    const row = byId.get(line.upstreamId ?? '');
    if (!row) continue;
    billed.add(row);
    result.matched += 1;
    const hours = listHours(row, line);
    if (hours === 'later') result.endedLater += 1;
    const difference = await compareOne(line, row, { ...comparing, isOtherHour: hours === 'other' });
    if (difference) result.differences.push(difference);
  }
  for (const line of lines)
    if (!byId.has(line.upstreamId ?? ''))
      result.differences.push(await describeStray(line, matcher, comparing));
  addUnbilled(
    result,
    rows.filter((row) => !billed.has(row) && !matcher.isUsed(row)),
    comparing,
  );
  return result;
}

/** Whether a line is of the hour in which its request started, ended, or of neither. */
function listHours({ startedAt, endedAt }: ProviderRow, { from }: ReportLine): 'same' | 'later' | 'other' {
  const hour = Math.floor(from / HOUR_MS);
  if (hour === Math.floor(startedAt / HOUR_MS)) return 'same';
  return hour >= Math.floor(startedAt / HOUR_MS) && hour <= Math.floor(endedAt / HOUR_MS) ? 'later' : 'other';
}

async function compareOne(
  line: ReportLine,
  row: ProviderRow,
  { reader, tolerance, isOtherHour }: RequestComparing & { isOtherHour: boolean },
): Promise<Difference | undefined> {
  const names = listMeasures(line.amounts);
  const ours = pick(measure(row.usage, { requests: 1, cost: row.cost }), names);
  const off = subtract(line.amounts, ours);
  const tokens = withoutCost(off);
  const { cost = 0n } = off;
  const hasCost = cost > tolerance || cost < -tolerance;
  if (isNothing(tokens) && !hasCost && !isOtherHour) return undefined;
  const kind: DifferenceKind = !isNothing(tokens) ? 'tokens differ' : hasCost ? 'cost differs' : 'other hour';
  const price = await reader.findVersion(row.priceVersion);
  const gap = { theirs: line.amounts.cost ?? 0n, ours: row.cost, rest: cost };
  const explanation =
    hasCost && isNothing(tokens) ? explainCost({ ...gap, marked: [row], isCostAlone: true }) : undefined;
  const estimate = row.isEstimated && kind !== 'other hour' ? toEstimate([row], off) : undefined;
  const computed = off.cost ?? (price && priceTokens(price, tokens));
  const around = { usage: measure(row.usage, { requests: 1, cost: 0n }), price, factors: reader.factors };
  const proof = explanation ?? estimate;
  return {
    kind,
    ...describeLine(line),
    requestIds: [row.requestId],
    theirs: line.amounts,
    ours,
    ...(computed !== undefined && { cost: computed }),
    ...(proof && { explanation: proof }),
    hints: proof || kind !== 'cost differs' ? [] : listPriceHints(gap, around),
  };
}

const describeLine = (line: ReportLine) => ({
  from: line.from,
  to: line.to,
  ...(line.model !== undefined && { model: line.model }),
  ...(line.upstreamId !== undefined && { upstreamId: line.upstreamId }),
  places: [line.place],
});

const toEstimate = (rows: readonly ProviderRow[], off: Amounts): Explanation => ({
  cause: 'estimate',
  text: 'the client disconnected, and the gateway estimated the usage of this request',
  requestIds: rows.map(({ requestId }) => requestId),
  amounts: off,
});

/** A line without a row of its upstream id. */
async function describeStray(
  line: ReportLine,
  matcher: LineMatcher,
  { reader }: RequestComparing,
): Promise<Difference> {
  const facts = { kind: 'missing here' as const, ...describeLine(line), theirs: line.amounts };
  const attempt = matcher.takeAttempt(line);
  const none = negate(subtract(line.amounts, line.amounts));
  if (attempt) {
    const text = describeAttempts([attempt]);
    const requestIds = [attempt.requestId];
    const explanation: Explanation = { cause: 'failed call', text, requestIds, amounts: line.amounts };
    const cost = await priceLine(line, line.amounts, reader);
    return { ...facts, ours: none, requestIds, explanation, ...(cost !== undefined && { cost }), hints: [] };
  }
  const row = matcher.takeRow(line);
  const ours = row
    ? pick(measure(row.usage, { requests: 1, cost: row.cost }), listMeasures(line.amounts))
    : none;
  const off = subtract(line.amounts, ours);
  const cost = await priceLine(line, off, reader);
  return {
    ...facts,
    ours,
    requestIds: row ? [row.requestId] : [],
    ...(cost !== undefined && { cost }),
    ...(row && { explanation: { ...toEstimate([row], off), cause: 'client left' as const } }),
    hints: row ? [] : matcher.listHints(line),
  };
}

async function priceLine(
  line: ReportLine,
  off: Amounts,
  reader: EvidenceReader,
): Promise<PicoUsd | undefined> {
  const { from, model } = line;
  if (off.cost !== undefined) return off.cost;
  const hour = Math.floor(from / HOUR_MS) * HOUR_MS;
  return model === undefined
    ? undefined
    : reader.price({ from: hour, to: hour + HOUR_MS, family: familyOf(model) }, off);
}

/** Rows that no line names, within the time that the export covers. */
function addUnbilled(
  result: ComparedRequests,
  rows: readonly ProviderRow[],
  comparing: RequestComparing,
): void {
  const { since, until, finalUntil } = comparing;
  const inside = rows.filter(({ startedAt, endedAt }) => startedAt >= since && endedAt < until);
  const [known, unknown] = [
    inside.filter(({ upstreamId, isEstimated }) => upstreamId !== undefined || isEstimated),
    inside.filter(({ upstreamId, isEstimated }) => upstreamId === undefined && !isEstimated),
  ];
  for (const row of known) result.differences.push(describeUnbilled(row, finalUntil));
  const [first] = unknown;
  if (first)
    result.remarks.push(
      `not compared: ${formatCount(unknown.length, 'request')} without an upstream id, such as ${first.requestId}`,
    );
}

function describeUnbilled(row: ProviderRow, finalUntil: number): Difference {
  const ours = measure(row.usage, { requests: 1, cost: row.cost });
  const off = negate(ours);
  const explain = (cause: Explanation['cause'], text: string): Explanation => ({
    cause,
    text,
    requestIds: [row.requestId],
    amounts: off,
  });
  const explanation =
    row.endedAt >= finalUntil
      ? explain('not final', 'the provider may still add it: exports are provisional for 24 hours')
      : row.isEstimated
        ? explain(
            'client left',
            'booked by an estimate for a client that disconnected; the provider did not bill it',
          )
        : undefined;
  return {
    kind: 'missing there',
    from: row.startedAt,
    to: row.endedAt,
    model: row.externalId,
    ...(row.upstreamId !== undefined && { upstreamId: row.upstreamId }),
    requestIds: [row.requestId],
    places: [],
    theirs: {},
    ours,
    cost: -row.cost,
    ...(explanation && { explanation }),
    hints: [],
  };
}

/** Finds calls and rows without an upstream id that lines without a row may be of; each is used once. */
class LineMatcher {
  readonly #rows: Set<ProviderRow>;
  readonly #attempts: Set<ProviderAttempt>;
  readonly #used = new Set<ProviderRow>();

  constructor(rows: readonly ProviderRow[], attempts: readonly ProviderAttempt[]) {
    this.#rows = new Set(
      rows.filter(({ upstreamId, isEstimated }) => upstreamId === undefined && isEstimated),
    );
    this.#attempts = new Set(attempts);
  }

  isUsed(row: ProviderRow): boolean {
    return this.#used.has(row);
  }

  /** A call of the same prompt. */
  takeAttempt(line: ReportLine): ProviderAttempt | undefined {
    const input = inputOf(line.amounts);
    for (const attempt of this.#attempts) {
      const { inputTokens = 0 } = attempt;
      if (inputTokens === 0 || BigInt(inputTokens) !== input || !isAround(line, attempt)) continue;
      this.#attempts.delete(attempt);
      return attempt;
    }
    return undefined;
  }

  /** The request with the nearest prompt among those whose clients disconnected before the answer. */
  takeRow(line: ReportLine): ProviderRow | undefined {
    const input = inputOf(line.amounts);
    const distance = (row: ProviderRow): bigint => {
      const off = inputOf(measure(row.usage, { requests: 1, cost: 0n })) - input;
      return off < 0n ? -off : off;
    };
    const [row] = [...this.#rows]
      .filter((one) => isAround(line, one))
      .toSorted((a, b) => Number(distance(a) - distance(b)));
    if (!row) return undefined;
    this.#rows.delete(row);
    this.#used.add(row);
    return row;
  }

  listHints(line: ReportLine): string[] {
    const near = [...this.#attempts].filter((attempt) => isAround(line, attempt));
    return near
      .slice(0, 1)
      .map(
        ({ requestId, outcome }) =>
          `a call failed at that time (${outcome}): ${requestId}; nothing proves that it is this one`,
      );
  }
}

interface TimedCall {
  externalId: string;
  startedAt: number;
  endedAt: number;
}

function isAround({ from, to, model }: ReportLine, { externalId, startedAt, endedAt }: TimedCall): boolean {
  const isSame = model === undefined || familyOf(model) === familyOf(externalId);
  return isSame && from <= endedAt + SLACK_MS && Math.max(to, from + 1_000) >= startedAt;
}
