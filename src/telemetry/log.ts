import { pino } from 'pino';
import { createCalmLog } from './calm-log.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Structured fields of a log line; never secrets. */
export type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** The operator's log. */
export interface Log {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  error(facts: LogFacts, message: string): void;
}

/** JSON lines on standard error: standard output is for the command's result. With `debug` nothing is left out. */
export function createLog(level: LogLevel): Log {
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
  return level === 'debug' ? log : createCalmLog(log);
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
