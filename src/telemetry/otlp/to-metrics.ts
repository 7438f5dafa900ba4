import type { Histogram } from '../histogram.ts';
import type { GaugeSource, HistogramSource, Sample } from '../request-sources.ts';
import type { Labels } from '../series.ts';
import { toAttributes } from './attributes.ts';
import type { OtlpObject } from './encode.ts';
import type { ConventionalSource } from './process-sources.ts';

const CUMULATIVE = 2;

/** When counting began, and now, in nanoseconds since the Unix epoch. */
interface Span {
  startNs: bigint;
  nowNs: bigint;
}

/** What is exported: the gateway's own metrics, and those of its process. */
export interface MetricSources {
  own: readonly GaugeSource[];
  histograms: readonly HistogramSource[];
  process: readonly ConventionalSource[];
}

/** The metrics in OTLP's form: the gateway's own names without Prometheus suffixes, and with units. */
export function toMetrics({ own, histograms, process }: MetricSources, span: Span): OtlpObject[] {
  const sums = own.map((source) => ({
    ...describe(source.name, source.help),
    ...readValues(source, span),
  }));
  const conventional = process.map((source) => ({
    name: source.name,
    description: source.help,
    unit: source.unit,
    ...readValues(source, span),
  }));
  const distributions = histograms.map(({ name, help, series }) => {
    const dataPoints = [...series].map(({ labels, value }) => toHistogramPoint(labels, value, span));
    return { ...describe(name, help), histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
  });
  return [...sums, ...conventional, ...distributions];
}

function readValues({ isCounter, read }: GaugeSource, span: Span): OtlpObject {
  const dataPoints = read().map((sample) => toPoint(sample, span));
  if (!isCounter) return { gauge: { dataPoints } };
  return { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
}

const UNITS = [
  ['_usd', 'USD'],
  ['_tokens_per_second', '{token}/s'],
  ['_seconds', 's'],
] as const;

/** `sluice_cost_usd_total` is `sluice.cost` in USD. */
function describe(name: string, description: string): OtlpObject {
  const base = name.replace('_', '.').replace(/_total$/, '');
  const [suffix = '', unit = '1'] = UNITS.find(([one]) => base.endsWith(one)) ?? [];
  const isSpeed = unit === '{token}/s';
  return { name: isSpeed ? base : base.slice(0, base.length - suffix.length), description, unit };
}

function toPoint({ labels = {}, value }: Sample, { startNs, nowNs }: Span): OtlpObject {
  const times = { startTimeUnixNano: startNs, timeUnixNano: nowNs, attributes: toAttributes(labels) };
  return Number.isSafeInteger(value) ? { ...times, asInt: BigInt(value) } : { ...times, asDouble: value };
}

function toHistogramPoint(
  labels: Labels,
  { bounds, counts, sum }: Histogram,
  { startNs, nowNs }: Span,
): OtlpObject {
  return {
    startTimeUnixNano: startNs,
    timeUnixNano: nowNs,
    count: BigInt(counts.reduce((total, count) => total + count, 0)),
    sum,
    bucketCounts: counts.map(BigInt),
    explicitBounds: bounds,
    attributes: toAttributes(labels),
  };
}
