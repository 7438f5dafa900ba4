import type { GaugeSource, Metrics } from './metrics.ts';

/** Opens the metrics; what prints them is loaded only where somebody wants them. */
export async function openMetrics(gauges: readonly GaugeSource[]): Promise<Metrics> {
  const { Metrics } = await import('./metrics.ts');
  return new Metrics(gauges);
}
