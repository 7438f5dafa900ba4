import { pino } from 'pino';
import { createThrottledLog } from './throttled-log.ts';
import type { Log, LogLevel } from './log.ts';

/** JSON lines on standard error: standard output is for the command's result. With `debug` nothing is left out. */
export function createLog(level: LogLevel): Log {
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
  return level === 'debug' ? log : createThrottledLog(log);
}
