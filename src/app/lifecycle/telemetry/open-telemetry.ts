import type { GaugeSource, Log, Metrics, Otlp, OtlpSettings, Telemetry } from '#telemetry';
import type { Settings } from '../../settings/settings.ts';
import { systemRandom } from '#base';
import { createNoticeSender } from '#providers';
import {
  RequestMetrics,
  createTelemetry,
  listCounters,
  listHistograms,
  openMetrics,
  openOtlp,
} from '#telemetry';
import { version } from '../../settings/package.ts';
import { readContent } from '../../payloads/read-content.ts';
import { type GaugeSources, listGauges } from './gauges.ts';

/** What a gateway reports about itself. */
interface OpenTelemetry {
  telemetry: Telemetry;
  /** Absent if they are not served. */
  metrics?: Metrics;
  /** Sends the rest of the exports, for a few seconds at most. */
  close(): Promise<void>;
}

/** Opens the configured exports; the modules of others are not loaded. */
export async function openTelemetry(
  { otlp, metrics: metricsSettings }: Pick<Settings, 'otlp' | 'metrics'>,
  log: Log,
  sources: Omit<GaugeSources, 'countTraced'>,
): Promise<OpenTelemetry> {
  const isCounted = metricsSettings !== undefined || otlp?.metricsUrl !== undefined;
  const requests = isCounted ? new RequestMetrics(sources.isListed) : undefined;
  const gauges = listGauges({ ...sources, countTraced: () => exporting?.counts() });
  const exporting = otlp && (await openExport(otlp, log, { gauges, requests }));
  const metrics = metricsSettings && requests && (await openMetrics(gauges, requests));
  return {
    telemetry: createTelemetry(log, requests, exporting?.tracer),
    ...(metrics && { metrics }),
    close: async () => exporting?.close(),
  };
}

interface MetricParts {
  gauges: readonly GaugeSource[];
  requests: RequestMetrics | undefined;
}

/** An export with connections of its own. */
async function openExport(
  settings: OtlpSettings,
  log: Log,
  { gauges, requests }: MetricParts,
): Promise<Otlp> {
  const sender = createNoticeSender();
  const otlp = await openOtlp(settings, {
    post: sender.post.bind(sender),
    random: systemRandom,
    log,
    version,
    readContent,
    sources: requests ? [...listCounters(requests), ...gauges] : [],
    histograms: requests ? listHistograms(requests) : [],
  });
  return {
    ...otlp,
    close: async () => {
      await otlp.close();
      await sender.close();
    },
  };
}
