import type { Log } from '#telemetry';
import { createLog } from '#telemetry';

/** The log of a short command: its result goes to standard output, so only problems are logged. */
export function createCommandLog(): Log {
  return createLog('error');
}
