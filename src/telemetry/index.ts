export { type Log, type LogLevel, createLog, silentLog } from './log.ts';
export type { Metrics } from './metrics.ts';
export { openMetrics } from './open-metrics.ts';
export type { Otlp, OtlpSettings } from './create-otlp.ts';
export { openOtlp } from './open-otlp.ts';
export { type Telemetry, createTelemetry } from './telemetry.ts';
export type { RequestTrace } from './tracing/request-trace.ts';
export { RequestMetrics } from './request-metrics.ts';
export { type GaugeSource, listCounters, listHistograms } from './request-sources.ts';
