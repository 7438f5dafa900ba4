import { readFileSync } from 'node:fs';
import { isJsonObject } from '#base';

/** For the database's pool, logs, the journal, watched files, and Node itself. */
const KEPT_BACK = 64;
const LEAST = 16;
const MOST = 100_000;
const UNKNOWN = 1_024;

/** How many files and sockets this process may open (`ulimit -n`). */
export function readDescriptorLimit(): number {
  return readFromProc() ?? readFromReport() ?? UNKNOWN;
}

/** How many callers may be connected: each may need a second socket, to its provider. */
export function countConnections(descriptors = readDescriptorLimit()): number {
  return Math.min(MOST, Math.max(LEAST, Math.floor((descriptors - KEPT_BACK) / 2)));
}

function readFromProc(): number | undefined {
  try {
    const [, limit] =
      /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? undefined : toNumber(limit);
  } catch {
    return undefined; // not Linux
  }
}

function readFromReport(): number | undefined {
  Object.assign(process.report, { excludeNetwork: true }); // it would look up names
  const report: unknown = process.report.getReport();
  const limits = isJsonObject(report) ? report['userLimits'] : undefined;
  const files = isJsonObject(limits) ? limits['open_files'] : undefined;
  const soft = isJsonObject(files) ? files['soft'] : undefined;
  return typeof soft === 'number' || typeof soft === 'string' ? toNumber(String(soft)) : undefined;
}

function toNumber(limit: string): number {
  return limit === 'unlimited' ? Infinity : Number(limit);
}
