import type { Log } from '#telemetry';
import type { RunningServer } from './bring-up.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../database/backoff.ts';

interface SupervisionOptions {
  /** The process id of the current server. */
  pid: number;
  isRunning(pid: number): boolean;
  restart(signal: AbortSignal): Promise<RunningServer>;
  /** Called each time the server is found to have exited. */
  onExit(): void;
  /** Called periodically while the server runs. */
  tidy(): void;
  log: Log;
}

const LOOK_EVERY_MS = 250;
const TIDY_EVERY_MS = 60_000;
/** Minimum time between two starts. */
const RESTART_EVERY_MS = 1_000;
const MOST_PAUSE_MS = 10_000;

/** Watches a server and restarts it when it exits, until the returned function is called and its work is done. */
export function supervise(options: SupervisionOptions): () => Promise<void> {
  const stop = new AbortController();
  const watched = watch(options, stop.signal);
  return async () => {
    stop.abort();
    await watched;
  };
}

async function watch(options: SupervisionOptions, signal: AbortSignal): Promise<void> {
  let lastStartMs = -Infinity;
  let lastTidyMs = performance.now();
  let { pid } = options;
  for (;;) {
    await pause(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    if (performance.now() - lastTidyMs > TIDY_EVERY_MS) {
      lastTidyMs = performance.now();
      options.tidy();
    }
    if (options.isRunning(pid)) continue;
    options.onExit();
    await pause(lastStartMs + RESTART_EVERY_MS - performance.now(), signal);
    lastStartMs = performance.now();
    pid = (await restart(options, signal)) ?? pid;
  }
}

/** Starts the server, retrying as often as needed; `undefined` once stopped. */
async function restart(
  { log, ...options }: SupervisionOptions,
  signal: AbortSignal,
): Promise<number | undefined> {
  log.warn({}, 'the embedded PostgreSQL has exited; restarting it');
  const backoff = createBackoff({ firstMs: 2 * RESTART_EVERY_MS, mostMs: MOST_PAUSE_MS });
  for (;;) {
    const outcome = await options.restart(signal).catch((error: unknown) => ({ problem: String(error) }));
    if (signal.aborted) return undefined;
    if ('pid' in outcome) {
      log.info({ pid: outcome.pid }, 'the embedded PostgreSQL is running again');
      return outcome.pid;
    }
    log.error({ detail: outcome.problem }, 'the embedded PostgreSQL does not start; retrying');
    await pause(backoff.nextMs(), signal);
  }
}

/** Never keeps the process alive, never throws. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
