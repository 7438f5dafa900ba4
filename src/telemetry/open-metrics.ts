import type { Metrics } from './metrics.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { GaugeSource } from './request-sources.ts';

/** Opens the metrics; the code that prints them is loaded when they are enabled. */
export async function openMetrics(
  gauges: readonly GaugeSource[],
  requests: RequestMetrics,
): Promise<Metrics> {
  const { Metrics } = await import('./metrics.ts');
  return new Metrics(gauges, requests);
}
