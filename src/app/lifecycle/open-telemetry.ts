import type { Log, Metrics, Otlp, OtlpSettings, Telemetry } from '#telemetry';
import type { Settings } from '../settings/settings.ts';
import { systemChance } from '#base';
import { createNoticeSender } from '#providers';
import { createTelemetry, openMetrics, openOtlp } from '#telemetry';
import { version } from '../settings/package.ts';
import { type Sources, listGauges } from './gauges.ts';

/** What a gateway reports about itself. */
export interface OpenTelemetry {
  telemetry: Telemetry;
  /** Absent if they are not served. */
  metrics?: Metrics;
  /** Sends what is still to be exported, for a few seconds at most. */
  close(): Promise<void>;
}

/** Opens what the settings ask for; the rest is not loaded. */
export async function openTelemetry(
  { otlp, metrics: metricsSettings }: Pick<Settings, 'otlp' | 'metrics'>,
  log: Log,
  sources: Omit<Sources, 'countTraced'>,
): Promise<OpenTelemetry> {
  const exporting = otlp && (await openExport(otlp, log));
  const gauges = listGauges({ ...sources, countTraced: () => exporting?.counts() });
  const metrics = metricsSettings && (await openMetrics(gauges));
  return {
    telemetry: createTelemetry(log, metrics, exporting?.tracer),
    ...(metrics && { metrics }),
    close: async () => exporting?.close(),
  };
}

/** An export with connections of its own. */
async function openExport(settings: OtlpSettings, log: Log): Promise<Otlp> {
  const sender = createNoticeSender();
  const post = sender.post.bind(sender);
  const otlp = await openOtlp(settings, { post, chance: systemChance, log, version });
  return {
    ...otlp,
    close: async () => {
      await otlp.close();
      await sender.close();
    },
  };
}
