export { type Log, type LogLevel, createLog, silentLog } from './log.ts';
export { type GaugeSource, type Metrics } from './metrics.ts';
export { openMetrics } from './open-metrics.ts';
export { type Telemetry, createTelemetry } from './telemetry.ts';
