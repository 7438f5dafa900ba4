import { readFileSync, readdirSync } from 'node:fs';

/** `/proc` counts processor time in ticks of 10 ms on every Linux. */
const TICKS_PER_SECOND = 100;

interface Stat {
  parent: number;
  cpuSeconds: number;
}

/** Throws without `/proc`: these figures are only available on Linux. */
function readStat(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name may hold spaces; fields[0] is the state
  return {
    parent: Number(fields[1]),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
  };
}

/** User and system time a process has used so far. */
export function readCpuSeconds(pid: number): number {
  return readStat(pid).cpuSeconds;
}

/**
 * The same, summed over every PostgreSQL process below or beside a gateway; processes that have exited are not counted.
 */
export function readDatabaseCpuSeconds(dataDir: string): number {
  const postmaster = findPostmaster(dataDir);
  if (postmaster === undefined) return 0;
  let sum = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readStat(Number(name));
      if (Number(name) === postmaster || stat.parent === postmaster) sum += stat.cpuSeconds;
    } catch {
      continue; // it exited between the listing and the reading
    }
  }
  return sum;
}

function findPostmaster(dataDir: string): number | undefined {
  const file = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('postmaster.pid'),
  );
  return file === undefined ? undefined : Number.parseInt(readFileSync(`${dataDir}/${file}`, 'utf8'), 10);
}

/** Resident memory in bytes. */
export function readResidentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kilobytes?.[1] ?? 0) * 1024;
}
