import { existsSync, readFileSync, readdirSync } from 'node:fs';

const STOP_TIMEOUT_MS = 10_000;

/**
 * Stops the database servers of a data directory by the process ids in their files: those of a killed gateway, or of a
 * directory that is discarded and needs no flush (`SIGQUIT`).
 */
export async function stopOrphanDatabase(
  dataDir: string,
  signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT',
): Promise<void> {
  if (!existsSync(dataDir)) return;
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /(^|\/)postmaster\.pid$/.test(name))) {
    const pid = readPid(`${dataDir}/${file}`);
    if (isDatabase(pid)) await stop(pid, signal);
  }
}

/** A server that is just stopping may have removed its file. */
function readPid(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return Number.NaN;
  }
}

/** A recycled process id may belong to another program. */
function isDatabase(pid: number): boolean {
  if (!(pid > 1) || !isAlive(pid)) return false;
  if (!existsSync('/proc/self/cmdline')) return true;
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
}

async function stop(pid: number, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  process.kill(pid, signal); // fast shutdown, or immediate
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
  if (isAlive(pid)) process.kill(pid, 'SIGQUIT'); // immediate shutdown
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
