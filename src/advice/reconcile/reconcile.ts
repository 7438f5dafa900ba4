import { formatCount } from '#base';
import type { PicoUsd } from '#base';
import type { Catalogue } from '#catalogue';
import type { ProviderReader } from '#logs';
import { GatewayError } from '#errors';
import { type Boundaries, settleBoundaries } from './bucket-boundaries.ts';
import { type Plan, fillCells, planCells } from './cells.ts';
import { compareCosts } from './compare-costs.ts';
import { compareRequests } from './compare-requests.ts';
import { compareUsage } from './compare-usage.ts';
import type { Difference } from './difference.ts';
import { EDGE_MS, EvidenceReader } from './evidence.ts';
import { listFactors } from './explain-cost.ts';
import { type Amounts, listMeasures, subtract, withoutCost } from './measures.ts';
import { LoggedSums } from './logged-sums.ts';
import { type ProviderReport, type ReportLine, familyOf } from './report-line.ts';

interface Question {
  providerId: string;
  report: ProviderReport;
  /** Absent: as far as the export reaches. */
  since?: number | undefined;
  until?: number | undefined;
  /** When the export was taken. */
  asOf: number;
  /** Pico-USD by which the cost of a bucket or request may differ. */
  tolerance: PicoUsd;
}

export interface Reconciliation {
  providerId: string;
  since: number;
  until: number;
  tolerance: PicoUsd;
  differences: Difference[];
  boundaries: Boundaries;
  coverage: Coverage;
}

interface Coverage {
  /** Buckets × models of usage and of costs, and requests by their upstream id. */
  usage: number;
  costs: number;
  requests: number;
  models: string[];
  /** The number of rows of the gateway. */
  rows: number;
  cost: PicoUsd;
  remarks: string[];
}

interface ReconcilePorts {
  log: ProviderReader;
  catalogue: Catalogue;
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 92;
/** How long after a bucket providers may still add to it. */
const PROVISIONAL_MS = DAY_MS;

/** Compares a provider's export with the rows of the gateway. For the operator. */
export async function reconcile(ports: ReconcilePorts, question: Question): Promise<Reconciliation> {
  const plan = planCells(question.report, question);
  if (!(plan.since < plan.until)) throw createInvalid('the export has no line in this time');
  if (plan.until - plan.since > MOST_DAYS * DAY_MS)
    throw createInvalid(`the time is longer than ${MOST_DAYS} days; narrow it with --since and --until`);
  const found =
    plan.requests.length > 0 ? await byRequest(ports, question, plan) : await byBucket(ports, question, plan);
  const { providerId, tolerance } = question;
  const differences = found.differences.toSorted((a, b) => a.from - b.from);
  return { providerId, since: plan.since, until: plan.until, tolerance, ...found, differences };
}

type Differences = Pick<Reconciliation, 'differences' | 'boundaries' | 'coverage'>;

async function byBucket(ports: ReconcilePorts, question: Question, plan: Plan): Promise<Differences> {
  const { providerId, tolerance, asOf } = question;
  const span = { providerId, since: plan.since, until: plan.until };
  const sums = await sumRows(ports.log, span, plan.widthMs);
  const before = { usage: fillCells(plan, 'usage', sums.own), costs: fillCells(plan, 'cost', sums.own) };
  const cells = before.usage.length > 0 ? before.usage : before.costs;
  const boundaries = settleBoundaries({ sums: sums.own, cells, widthMs: plan.widthMs }, sums.specials);
  const [usage, costs] = [fillCells(plan, 'usage', sums.own), fillCells(plan, 'cost', sums.own)];
  const factors = listFactors(ports.catalogue, providerId);
  const { countedBy } = boundaries;
  const reader = new EvidenceReader({ log: ports.log, sums: sums.own, span, countedBy, factors });
  const comparing = { sums: sums.own, reader, finalUntil: asOf - PROVISIONAL_MS };
  const differing = await compareUsage(usage, comparing);
  const hasUsage = plan.covers.usage !== undefined;
  const priced = await compareCosts(costs, { ...comparing, tolerance, usage: differing, hasUsage });
  const doubles = await Promise.all(plan.doubles.map((line) => describeDouble(line, reader)));
  const families = [...usage, ...costs].flatMap(({ family }) => family ?? []);
  return {
    differences: [...differing, ...priced, ...doubles],
    boundaries,
    coverage: {
      usage: usage.length,
      costs: costs.length,
      requests: 0,
      models: [...new Set(families)].toSorted(),
      rows: sums.own.requests,
      cost: sums.own.cost,
      remarks: listRemarks(plan),
    },
  };
}

/** Sums, and what they leave out: requests of several models, and before the span those that end in it. */
async function sumRows(
  log: ProviderReader,
  span: { providerId: string; since: number; until: number },
  widthMs: number,
) {
  const own = new LoggedSums(widthMs);
  for (const sum of await log.sum(span, widthMs)) own.addSum(sum);
  const choice = { kind: 'special' as const, widthMs };
  const specials = await log.listRows({ ...span, since: span.since - EDGE_MS }, choice);
  for (const row of specials)
    if (row.startedAt >= span.since && (row.parts?.length ?? 0) > 1)
      own.addRow(Math.floor(row.startedAt / widthMs) * widthMs, row);
  return { own, specials };
}

/** A duplicate line; the second was ignored. */
async function describeDouble(line: ReportLine, reader: EvidenceReader): Promise<Difference> {
  const { from, to, model, upstreamId, amounts, place } = line;
  const bounds = { from, to: Math.max(to, from + 1) };
  const cost =
    amounts.cost ??
    (model === undefined ? undefined : await reader.price({ ...bounds, family: familyOf(model) }, amounts));
  return {
    kind: 'counted twice',
    from,
    to,
    requestIds: [],
    places: [place],
    theirs: amounts,
    ours: subtract(amounts, amounts),
    ...(model !== undefined && { model }),
    ...(upstreamId !== undefined && { upstreamId }),
    ...(cost !== undefined && { cost }),
    hints: [],
  };
}

function listRemarks({ remarks, usage, costs }: Plan): string[] {
  const names = (cells: Plan['usage']): string[] => listMeasures(withoutCost(sumKeys(cells)));
  const has = names(usage);
  return [
    ...remarks,
    ...(usage.length === 0 ? ['not compared: tokens, which the export does not have'] : []),
    ...(usage.length > 0 && !has.includes('requests')
      ? ['not compared: the number of requests, which the export does not have']
      : []),
    ...(costs.length === 0 ? ['not compared: costs, which the export does not have'] : []),
    ...(costs.length > 0 && costs.every(({ family }) => family === undefined)
      ? ['costs are compared per bucket, because the export has some without a model']
      : []),
  ];
}

const sumKeys = (cells: Plan['usage']): Amounts =>
  Object.assign({}, ...cells.map(({ amounts }) => amounts)) as Amounts;

async function byRequest(ports: ReconcilePorts, question: Question, plan: Plan): Promise<Differences> {
  const { providerId, tolerance, asOf } = question;
  const { since, until } = plan;
  const span = { providerId, since, until };
  const rows = await ports.log.listRows({ ...span, since: since - EDGE_MS }, { kind: 'all' });
  const sums = new LoggedSums(plan.widthMs);
  for (const sum of await ports.log.sum(span, plan.widthMs)) sums.addSum(sum);
  const factors = listFactors(ports.catalogue, providerId);
  const reader = new EvidenceReader({ log: ports.log, sums, span, countedBy: 'start', factors });
  const finalUntil = asOf - PROVISIONAL_MS;
  const comparing = { reader, tolerance, since, until, finalUntil };
  const { differences, matched, endedLater, remarks } = await compareRequests(plan.requests, rows, comparing);
  const doubles = await Promise.all(plan.doubles.map((line) => describeDouble(line, reader)));
  const inside = rows.filter(({ startedAt }) => startedAt >= since);
  return {
    differences: [...differences, ...doubles],
    boundaries: { countedBy: 'start', shifts: [] },
    coverage: {
      usage: 0,
      costs: 0,
      requests: matched,
      models: [...new Set(plan.requests.flatMap(({ model }) => model ?? []))].toSorted(),
      rows: inside.length,
      cost: inside.reduce((sum, { cost }) => sum + cost, 0n),
      remarks: [
        ...plan.remarks,
        ...remarks,
        ...(endedLater > 0
          ? [`in the export in the hour in which they ended: ${formatCount(endedLater, 'request')}`]
          : []),
      ],
    },
  };
}

function createInvalid(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}
