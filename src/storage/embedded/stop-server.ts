import { setTimeout as sleep } from 'node:timers/promises';
import { findPostmaster } from './postmaster.ts';

const POLL_MS = 10;
const FAST_LIMIT_MS = 10_000;
const IMMEDIATE_LIMIT_MS = 5_000;

/** Stops the server of a cluster: cleanly if it exits in time, else immediately; then it recovers at its next start. */
export async function stopServer(cluster: string): Promise<void> {
  const postmaster = findPostmaster(cluster);
  if (!postmaster) return;
  const { pid } = postmaster;
  const isGone = () => findPostmaster(cluster)?.pid !== pid;
  send(pid, 'SIGINT');
  if (await becomes(isGone, FAST_LIMIT_MS)) return;
  send(pid, 'SIGQUIT');
  if (await becomes(isGone, IMMEDIATE_LIMIT_MS)) return;
  throw new Error(`The embedded PostgreSQL (process ${pid}) did not stop.`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function becomes(condition: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
