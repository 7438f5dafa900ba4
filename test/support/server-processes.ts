import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { clusterOf } from './embedded-server.ts';

/** The first process of the server of a data directory; throws if there is none. */
export function readPostmasterPid(directory: string): number {
  return Number.parseInt(readFileSync(join(clusterOf(directory), 'postmaster.pid'), 'utf8'), 10);
}

/** The server and every process of its own. */
export function listServerProcesses(directory: string): number[] {
  const postmaster = readPostmasterPid(directory);
  const parentOf = (pid: number): number => {
    try {
      return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
    } catch {
      return 0; // gone meanwhile
    }
  };
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return [postmaster, ...all.filter((pid) => parentOf(pid) === postmaster)];
}
