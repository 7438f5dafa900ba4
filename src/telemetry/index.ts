export { type Log, type LogFacts, type LogLevel, createLog, silentLog } from './log.ts';
export { type AttemptFacts, type RequestFacts, type Telemetry, createTelemetry } from './telemetry.ts';
