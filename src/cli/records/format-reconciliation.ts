import {
  type Amounts,
  type Difference,
  type Measure,
  type Reconciliation,
  listMeasures,
  subtractAmounts,
  sumDifferences,
} from '#app';
import { formatTime, formatUsd, formatCount, formatFirst } from '#base';
import { formatTable } from '../terminal/table.ts';

const HOUR_MS = 3_600_000;
const MOST_DIFFERENCES = 100;
const SHOWN_IDS = 3;

/** The verdict, the differences, what explains them, and what was compared. */
export function formatReconciliation(found: Reconciliation): string[] {
  const { differences } = found;
  const shown = differences.slice(0, MOST_DIFFERENCES);
  const left = differences.length - shown.length;
  return [
    formatVerdict(found),
    ...(shown.length === 0
      ? []
      : [
          '',
          ...formatTable(
            ['#', 'difference', 'when', 'model', 'theirs − ours', 'usd', 'explanation'],
            shown.map(toCells),
          ),
        ]),
    ...(left > 0 ? [`${left} more: --json has all of them`] : []),
    ...(shown.length === 0 ? [] : ['', ...shown.flatMap(formatDetails)]),
    '',
    ...formatCoverage(found),
  ];
}

function formatVerdict({ providerId, differences }: Reconciliation): string {
  const totals = sumDifferences(differences);
  if (totals.differences === 0) return `${providerId} and the gateway agree`;
  const unpriced = totals.unpriced > 0 ? `, and ${totals.unpriced} without a known price` : '';
  const sum = `theirs − ours: ${formatUsd(totals.cost)} USD${unpriced}`;
  const count = `${totals.differences} difference${totals.differences === 1 ? '' : 's'}`;
  return totals.unexplained === 0
    ? `${providerId} and the gateway agree but for ${count}, all explained; ${sum}`
    : `${providerId}: ${count}, ${totals.unexplained} unexplained; ${sum}, unexplained ${formatUsd(totals.unexplainedCost)} USD`;
}

function toCells(difference: Difference, at: number): string[] {
  const { kind, from, to, model, theirs, ours, cost, explanation } = difference;
  return [
    String(at + 1),
    kind,
    formatSpan(from, to),
    model ?? 'all',
    formatAmounts(subtractSides(theirs, ours)),
    cost === undefined ? '–' : formatUsd(cost),
    explanation ? `${explanation.cause}: ${explanation.text}` : 'none',
  ];
}

/** A side without anything has no measures. */
function subtractSides(theirs: Amounts, ours: Amounts): Amounts {
  const names = new Set([...listMeasures(theirs), ...listMeasures(ours)]);
  const all = Object.fromEntries([...names].map((name) => [name, theirs[name] ?? 0n]));
  return subtractAmounts(all, ours);
}

const NAMES: Readonly<Record<Measure, string>> = {
  requests: 'requests',
  input: 'input',
  input_and_cache_write: 'input',
  cache_read: 'cached',
  cache_write: 'written',
  cache_write_5m: 'written 5m',
  cache_write_1h: 'written 1h',
  output: 'output',
  web_searches: 'searches',
  cost: 'cost',
};

/** Without measures that are counted under another name as well. */
function formatAmounts(amounts: Amounts): string {
  const isRepeated = (name: Measure): boolean =>
    name === 'cost' ||
    (name === 'input_and_cache_write' && amounts.input !== undefined) ||
    (name === 'cache_write' && amounts.cache_write_5m !== undefined);
  const texts = listMeasures(amounts)
    .filter((name) => (amounts[name] ?? 0n) !== 0n && !isRepeated(name))
    .map((name) => `${(amounts[name] ?? 0n) > 0n ? '+' : ''}${amounts[name] ?? 0n} ${NAMES[name]}`);
  return texts.length === 0 ? 'cost' : texts.join(', ');
}

function formatSpan(from: number, to: number): string {
  const length = to - from;
  const start = formatTime(from);
  if (length === HOUR_MS) return start.slice(0, 16);
  return length === 24 * HOUR_MS ? start.slice(0, 10) : start;
}

function formatDetails(difference: Difference, at: number): string[] {
  const { upstreamId, requestIds, places, explanation, hints } = difference;
  const ids = explanation && explanation.requestIds.length > 0 ? explanation.requestIds : requestIds;
  const parts = [
    ...(upstreamId === undefined ? [] : [upstreamId]),
    ...(ids.length === 0 ? [] : [`rows ${formatFirst(ids, SHOWN_IDS)}`]),
    ...(places.length === 0 ? [] : [formatFirst(places, SHOWN_IDS)]),
    ...hints.map((hint) => `perhaps: ${hint}`),
  ];
  return parts.length === 0 ? [] : [`#${at + 1} ${parts.join('; ')}`];
}

function formatCoverage({ since, until, tolerance, boundaries, coverage }: Reconciliation): string[] {
  const { usage, costs, requests, models, rows, cost, remarks } = coverage;
  const hours = Math.round((until - since) / HOUR_MS);
  const compared = [
    ...(usage > 0 ? [`${formatCount(usage, 'bucket')} of usage`] : []),
    ...(costs > 0 ? [`${formatCount(costs, 'bucket')} of costs`] : []),
    ...(requests > 0 ? [`${formatCount(requests, 'request')} by upstream id`] : []),
  ];
  const shifted = boundaries.shifts.reduce((sum, { requestIds }) => sum + requestIds.length, 0);
  const first = boundaries.shifts[0];
  return [
    `${formatTime(since)} to ${formatTime(until)} UTC, ${formatCount(hours, 'hour')}: ${compared.join(', ') || 'nothing'}`,
    `${formatCount(models.length, 'model')}, ${formatCount(rows, 'request')} of this gateway for ${formatUsd(cost)} USD; tolerance ${formatUsd(tolerance)} USD`,
    ...(boundaries.countedBy === 'end' ? ['requests count in the hour in which they ended'] : []),
    ...(first
      ? [
          `counted in another hour than that of the start: ${formatCount(shifted, 'request')}, ${formatFirst(first.requestIds, SHOWN_IDS)}`,
        ]
      : []),
    ...remarks,
  ];
}
