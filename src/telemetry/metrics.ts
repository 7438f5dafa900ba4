import { Counter, Gauge, type Metric, Registry, collectDefaultMetrics } from 'prom-client';
import type { Histogram } from './histogram.ts';
import type { Labels } from './series.ts';
import { RequestMetrics } from './request-metrics.ts';
import { type GaugeSource, type HistogramSource, listCounters, listHistograms } from './request-sources.ts';

/** The gateway's metrics in the Prometheus format. */
export class Metrics {
  readonly #registry = new Registry();

  constructor(gauges: readonly GaugeSource[], requests = new RequestMetrics()) {
    collectDefaultMetrics({ register: this.#registry });
    for (const source of [...listCounters(requests), ...gauges]) addSource(this.#registry, source);
    for (const histogram of listHistograms(requests)) addHistogram(this.#registry, histogram);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  print(): Promise<string> {
    return this.#registry.metrics();
  }
}

function addSource(registry: Registry, { name, help, labelNames = [], isCounter, read }: GaugeSource): void {
  const options = { name, help, labelNames: [...labelNames], registers: [registry] };
  if (isCounter) {
    const collect = (): void => {
      counter.reset();
      for (const { labels = {}, value } of read()) counter.inc({ ...labels }, value);
    };
    const counter = new Counter({ ...options, collect });
    return;
  }
  const collect = (): void => {
    gauge.reset();
    for (const { labels = {}, value } of read()) gauge.set({ ...labels }, value);
  };
  const gauge = new Gauge({ ...options, collect });
}

/** `prom-client` has no way to set the counts of its own histograms. */
function addHistogram(registry: Registry, { name, help, series }: HistogramSource): void {
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...series].flatMap(({ labels, value }) => listBuckets(name, labels, value)),
  });
  registry.registerMetric({ name, get } as unknown as Metric);
}

function listBuckets(name: string, labels: Labels, { bounds, counts, sum }: Histogram) {
  let count = 0;
  const buckets = counts.map((within, at) => {
    count += within;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
