export { type Log, type LogLevel, createLog, silentLog } from './log.ts';
export { type Telemetry, createTelemetry } from './telemetry.ts';
