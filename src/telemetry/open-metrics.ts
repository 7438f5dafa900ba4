import type { Metrics } from './metrics.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { GaugeSource } from './request-sources.ts';

/** Opens the metrics; what prints them is loaded only where somebody wants them. */
export async function openMetrics(
  gauges: readonly GaugeSource[],
  requests: RequestMetrics,
): Promise<Metrics> {
  const { Metrics } = await import('./metrics.ts');
  return new Metrics(gauges, requests);
}
