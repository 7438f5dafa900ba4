import type { Log } from '#telemetry';
import { createLog } from '#telemetry';

/** The log of a short command: its answer is on standard output, so only what went wrong is told beside it. */
export function createCommandLog(): Log {
  return createLog('error');
}
